// Starting and stopping the inspector.
import FlyingFox
import FlyingSocks
public import Foundation
import KeyValueObservingTrace
import Synchronization

/// A page in a browser that shows the observed objects of this program, what depends on what, and what changes.
///
/// ```swift
/// #if DEBUG
/// KeyValueInspector.start(port: 4777)
/// #endif
/// ```
///
/// It prints an address to standard error, to be opened in a browser on the same machine.
///
/// ### Who may look
///
/// The server listens on 127.0.0.1 alone. The address has a random token, without which nothing is answered; neither are
/// requests of pages of other origins, or with another host name. A page can read, and ask why an event happened; it can
/// change nothing. Still, values of properties are shown: do not start it in a program that is delivered.
///
/// ### Threads and cost
///
/// It may be started on any thread. It starts ``KeyValueTrace``, which describes values on the thread that changes them.
/// All else is done on the threads of Swift concurrency, and only while a page is open. At most 60 messages a second go
/// to a page, each with a bounded number of events and a count of those left out; a page that reads slowly gets fewer
/// messages and is not waited for.
public final class KeyValueInspector: Sendable {
    private let server: HTTPServer
    private let running: Task<Void, Never>
    /// Renews the limit of events, as long as the inspector runs.
    private let renewing: Task<Void, Never>
    private let token: String

    /// Starts the inspector, and tracing; what was traced before is forgotten.
    ///
    /// If the port is in use, that is printed to standard error and the program goes on without an inspector.
    ///
    /// - Parameters:
    ///   - port: Where it listens; 0 for any port that is free.
    ///   - capacity: How many events are kept; at least 1.
    ///   - valueLength: How many characters of each value are shown; with 0, no value is.
    ///   - printsAddress: Whether to print the address to standard error.
    /// - Returns: The inspector, which runs until ``stop()``, also if nobody holds this.
    @discardableResult
    public static func start(
        port: UInt16 = 4777, capacity: Int = 10_000, valueLength: Int = 80, printsAddress: Bool = true
    ) -> KeyValueInspector {
        KeyValueTrace.start(capacity: capacity, valueLength: valueLength, eventLimit: Session.Limit.recordedEvents)
        return KeyValueInspector(port: port, printsAddress: printsAddress)
    }

    private init(port: UInt16, printsAddress: Bool) {
        let token = Token.random()
        self.token = token
        let gate = Gate(token: token, page: PageHandler(), events: WebSocketHTTPHandler(handler: EventsHandler()))
        // The text of the address is a constant that is valid.
        guard let address = try? sockaddr_in.inet(ip4: "127.0.0.1", port: port) else {
            fatalError("KeyValueInspector cannot make the address 127.0.0.1.")
        }
        let server = HTTPServer(address: address, logger: .disabled, handler: gate)
        self.server = server
        running = Task.detached {
            do { try await server.run() } catch is CancellationError {} catch SocketError.disconnected {} catch {
                Self.print("KeyValueInspector cannot listen on port \(port): \(error.localizedDescription)")
            }
        }
        renewing = Task.detached {
            while (try? await Task.sleep(for: Session.Limit.interval)) != nil { KeyValueTrace.renewLimit() }
        }
        guard printsAddress else { return }
        Task.detached {
            guard let url = await Self.url(of: server, token: token) else { return }
            Self.print("KeyValueInspector: \(url.absoluteString)")
        }
    }

    /// The address to open in a browser; nil if it does not listen.
    ///
    /// It waits until the server listens, for some seconds at most.
    public var url: URL? {
        get async { await Self.url(of: server, token: token) }
    }

    private static func url(of server: HTTPServer, token: String) async -> URL? {
        do { try await server.waitUntilListening() } catch { return nil }
        guard case .ip4(_, let port)? = await server.listeningAddress else { return nil }
        return URL(string: "http://127.0.0.1:\(port)/?token=\(token)")
    }

    /// Closes the server, and the connections of pages, and stops tracing.
    ///
    /// It returns when the port is free again.
    public func stop() async {
        await server.stop()
        running.cancel()
        renewing.cancel()
        await running.value
        KeyValueTrace.stop()
    }

    private static func print(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
