// Starting and stopping the inspector.
#if Inspector
import FlyingFox
import FlyingSocks
public import Foundation
@_spi(Inspector) import KeyValueObservingTrace
import Synchronization

/// Shows the observed objects of this program, their dependencies and their changes on a page in a browser.
///
/// ```swift
/// #if DEBUG
/// KeyValueInspector.start(port: 4777)
/// #endif
/// ```
///
/// It prints an address to standard error. Open it in a browser on the same machine.
///
/// ### Access
///
/// The server listens on 127.0.0.1 alone. It refuses requests without the random token in the address, from pages of
/// other origins, or with another host name. The page can read, search and explain events, but change nothing. Since it
/// shows values of properties, do not start it in a program that you ship.
///
/// ### Threads and cost
///
/// You may start it on any thread. It traces with `KeyValueTrace`, which describes values on the thread that changes
/// them. If the program traces already, that trace goes on with its own capacity, length of values and limit.
///
/// If there are too many changes to record all, other threads describe the last values, unless these contain objects.
/// Other threads also read properties that several threads may change, and the main actor reads those that have a
/// handler there.
///
/// Everything else runs on the threads of Swift concurrency, and only while a page is open. A page receives at most 60
/// messages a second, each with a bounded number of events and a count of those left out. A page that reads slowly gets
/// fewer messages and delays nothing.
public final class KeyValueInspector: Sendable {
    private let server: HTTPServer
    /// Ends with the server.
    private let running: Task<Void, Never>
    /// Ends when the server listens, or cannot listen.
    private let beginning: Task<Void, Never>
    private let token: String

    /// Starts the inspector, and tracing, unless the program traces already.
    ///
    /// If the port is in use, this prints so to standard error, and the program goes on without an inspector.
    ///
    /// - Parameters:
    ///   - port: The port to listen on; 0 for any free port.
    ///   - capacity: How many events are kept; at least 1.
    ///   - valueLength: How many characters of each value are shown; 0 for none.
    ///   - printsAddress: Whether to print the address to standard error.
    /// - Returns: The inspector, which runs until ``stop()``, even without a reference to it.
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
        // The constant is a valid address.
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
            // A caller that waits for the address now gets nil, after everything else has ended.
            beginning.cancel()
        }
        guard printsAddress else { return }
        Task.detached {
            await beginning.value
            guard let url = await Self.url(of: server, token: token) else { return }
            Self.print("KeyValueInspector: \(url.absoluteString)")
        }
    }

    /// The address to open in a browser; nil if the server does not listen.
    ///
    /// Reading it waits until the server listens, for some seconds at most.
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

    /// Closes the server and the connections of pages, and stops tracing unless the program traces as well.
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
