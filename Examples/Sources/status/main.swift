// A server that sends the changes of a download as lines of JSON: `nc 127.0.0.1 8080`, and Return.
import Dispatch
import Foundation
import NIOPosix

let download = Download("film.mp4")
let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
let journal = Journal(of: download)
let server = try await StatusServer(of: journal, port: port, on: MultiThreadedEventLoopGroup.singleton)
let serving = Task { try await server.run() }
let signals = [SIGINT, SIGTERM].map { number in
    // A source also receives signals that are ignored.
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number)
    // Without the attribute it would belong to the main actor, and Dispatch calls it elsewhere.
    source.setEventHandler { @Sendable in serving.cancel() }
    source.activate()
    return source
}
// At once, also into a pipe.
FileHandle.standardOutput.write(
    Data("To follow \(download.name): nc 127.0.0.1 \(server.port), and Return. Ctrl-C ends the server.\n".utf8))
let working = Task {
    while !Task.isCancelled {
        try await Task.sleep(for: .seconds(1))
        download.percent = (download.percent + 1) % 101
    }
}
try? await serving.value
working.cancel()
