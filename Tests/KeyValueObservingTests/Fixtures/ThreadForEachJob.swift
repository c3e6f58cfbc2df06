// Tasks that go on elsewhere.
import Foundation

/// Runs each part of a task on a thread of its own, so that what waits goes on elsewhere.
final class ThreadForEachJob: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }.start()
    }
}
