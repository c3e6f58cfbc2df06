// A client asks a server how far a download is, while four tasks continue it.
import NIOPosix

let group = MultiThreadedEventLoopGroup.singleton
let download = Download("film.mp4")
let server = try await StatusServer(of: download, on: group)

try await StatusClient(server, on: group).forEachLine { line in
    print(line)
    guard line == "film.mp4: 0 %" else { return }
    await withTaskGroup { tasks in
        for _ in 0..<4 { tasks.addTask { download.percent += 25 } }
    }
}
try await server.close()
