// A board that browsers follow: `live [PORT [CHANGES PER SECOND]]`.
import BoardModel
import Foundation
import Hummingbird
import KeyValueObserving
import Logging
import ServiceLifecycle
import UnixSignals

let numbers = CommandLine.arguments.dropFirst().map { Int($0) ?? -1 }
guard numbers.count <= 2, numbers.allSatisfy({ 0...65_535 ~= $0 }) else {
    print("usage: live [PORT [CHANGES PER SECOND]]")
    exit(64)
}
let (port, rate) = (numbers.first ?? 8_080, numbers.dropFirst().first ?? 2)

LoggingSystem.bootstrap(StreamLogHandler.standardError)
let logger = Logger(label: "live")
KeyValueDiagnostics.log(to: logger)
let board = Board()
let journal = Journal(of: board)
let desk = Desk(of: board)
let server = Application(
    router: routes(of: desk, journal),
    // A connection without a request ends. One that streams events has a request.
    server: .http1(configuration: .init(idleTimeout: .seconds(60))),
    configuration: .init(address: .hostname("127.0.0.1", port: port)),
    onServerRunning: { channel in
        let place = "http://127.0.0.1:\(channel.localAddress?.port ?? port)/"
        // Written without a buffer, so that it also appears at once in a pipe.
        FileHandle.standardOutput.write(Data("\(place) shows the board. Ctrl-C ends the server.\n".utf8))
    }, logger: logger)
// The server has ended before the worker does.
try await ServiceGroup(
    configuration: .init(
        services: [Worker(desk: desk, rate: rate), server], gracefulShutdownSignals: [.sigint, .sigterm],
        logger: logger)
).run()
