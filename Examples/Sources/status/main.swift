// A server that sends each change of a download as a line of JSON to whoever connects: `nc 127.0.0.1 8080`.
import NIOPosix

let download = Download("film.mp4")
let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
let server = try await StatusServer(of: download, port: port, on: MultiThreadedEventLoopGroup.singleton)
print("To follow \(download.name): nc 127.0.0.1 \(port). Ctrl-C ends the server.")
while true {
    try await Task.sleep(for: .seconds(1))
    download.percent = (download.percent + 1) % 101
}
