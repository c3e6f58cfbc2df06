// Changes without a client: a simulated worker.
import BoardModel
import ServiceLifecycle

/// Makes a number of changes in each second.
struct Worker: Service {
    let desk: Desk
    let rate: Int

    func run() async throws {
        await cancelWhenGracefulShutdown {
            let pause = Duration.seconds(rate > 0 ? max(1 / Double(rate), 0.01) : 3_600)
            while true {
                try? await Task.sleep(for: pause)
                if Task.isCancelled { return }
                for _ in 0..<max(1, rate / 100) { await desk.work() }
            }
        }
    }
}
