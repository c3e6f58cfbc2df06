// Tasks that continue on other threads.
import Foundation

/// Runs each part of a task on a thread of its own, so that a task continues on another thread after it has waited.
final class ThreadForEachJob: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }.start()
    }
}
