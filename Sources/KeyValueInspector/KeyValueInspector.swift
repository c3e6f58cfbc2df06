// Starting and stopping the inspector.
#if Inspector
import FlyingFox
import FlyingSocks
public import Foundation
@_spi(Inspector) import KeyValueObservingTrace
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
/// requests of pages of other origins, or with another host name. A page can read, search, and ask why an event happened;
/// it can change nothing. Still, values of properties are shown: do not start it in a program that is delivered.
///
/// ### Threads and cost
///
/// It may be started on any thread. It traces with `KeyValueTrace`, which describes values on the thread that changes
/// them. If the program traces already, that goes on as it was started, with its capacity, length of values and limit.
///
/// Of changes that are not recorded, because there are too many, the last values are described on other threads, if no
/// object is in them. Properties that several threads may change are read on other threads, and on the main actor those
/// that have a handler there.
///
/// All else is done on the threads of Swift concurrency, and only while a page is open. At most 60 messages a second go
/// to a page, each with a bounded number of events and a count of those left out; a page that reads slowly gets fewer
/// messages and is not waited for.
public final class KeyValueInspector: Sendable {
    private let server: HTTPServer
    /// Ends with the server.
    private let running: Task<Void, Never>
    /// Ends when the server listens, or cannot.
    private let beginning: Task<Void, Never>
    private let token: String

    /// Starts the inspector, and tracing, unless the program traces already.
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
        let part = KeyValueTrace.beginPart(
            capacity: capacity, valueLength: valueLength, eventLimit: Session.Limit.recordedEvents)
        return KeyValueInspector(part, port: port, printsAddress: printsAddress)
    }

    private init(_ part: KeyValueTrace.Part, port: UInt16, printsAddress: Bool) {
        let token = Token.random()
        self.token = token
        let gate = Gate(token: token, page: PageHandler(), events: WebSocketHTTPHandler(handler: EventsHandler()))
        // The text of the address is a constant that is valid.
        guard let address = try? sockaddr_in.inet(ip4: "127.0.0.1", port: port) else {
            fatalError("KeyValueInspector cannot make the address 127.0.0.1.")
        }
        let server = HTTPServer(address: address, logger: .disabled, handler: gate)
        self.server = server
        let beginning = Task.detached {
            do { try await server.waitUntilListening() } catch {}
        }
        self.beginning = beginning
        running = Task.detached {
            let renewing = Task.detached {
                while (try? await Task.sleep(for: Session.Limit.interval)) != nil { part.renewLimit() }
            }
            do { try await server.run() } catch is CancellationError {} catch SocketError.disconnected {} catch {
                Self.print(
                    """
                    KeyValueInspector cannot listen on port \(port): \(error.localizedDescription). The program goes on \
                    without it. End what uses the port, or start it with another port; 0 takes any that is free.
                    """)
            }
            renewing.cancel()
            part.end()
            // Who waits for an address finds that there is none, and that all else has ended.
            beginning.cancel()
        }
        guard printsAddress else { return }
        Task.detached {
            await beginning.value
            guard let url = await Self.url(of: server, token: token) else { return }
            Self.print("KeyValueInspector: \(url.absoluteString)")
        }
    }

    /// The address to open in a browser; nil if it does not listen.
    ///
    /// It waits until the server listens, for some seconds at most.
    public var url: URL? {
        get async {
            await beginning.value
            return await Self.url(of: server, token: token)
        }
    }

    private static func url(of server: HTTPServer, token: String) async -> URL? {
        guard case .ip4(_, let port)? = await server.listeningAddress else { return nil }
        return URL(string: "http://127.0.0.1:\(port)/?token=\(token)")
    }

    /// Closes the server, and the connections of pages, and stops tracing, unless the program traces as well.
    ///
    /// It returns when the port is free again.
    public func stop() async {
        await server.stop()
        running.cancel()
        await running.value
    }

    private static func print(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
#endif
