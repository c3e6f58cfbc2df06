// A server that sends the changes of a download as lines of JSON: `nc 127.0.0.1 8080`, and Return.
import Dispatch
import NIOPosix

let download = Download("film.mp4")
let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
let journal = Journal(of: download)
let server = try await StatusServer(of: journal, port: port, on: MultiThreadedEventLoopGroup.singleton)
print("To follow \(download.name): nc 127.0.0.1 \(port), and Return. Ctrl-C ends the server.")
let serving = Task { try await server.run() }
signal(SIGINT, SIG_IGN)
let interrupt = DispatchSource.makeSignalSource(signal: SIGINT)
interrupt.setEventHandler { serving.cancel() }
interrupt.resume()
let working = Task {
    while !Task.isCancelled {
        try await Task.sleep(for: .seconds(1))
        download.percent = (download.percent + 1) % 101
    }
}
try? await serving.value
working.cancel()
