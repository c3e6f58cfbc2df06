// Tasks and actors on threads of the scheduler.
import Foundation

/// What tasks and actors have to do, which threads of a scenario do instead of the pool of the runtime.
///
/// The runtime asks a hook, if there is one, where to put what is to run. So each piece of a task is work for a thread
/// of the scheduler, and is preempted as any thread is.
enum Tasks {
    nonisolated(unsafe) private static var waiting: [UnownedJob] = []
    /// How many threads are at work on a piece.
    nonisolated(unsafe) private static var active = 0

    private typealias Hook = @convention(c) (_ job: UnsafeRawPointer, _ original: UnsafeRawPointer) -> Void

    /// Takes the place of the runtime's pool.
    static func begin() {
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else {
            fatalError("this runtime has no hook for what its tasks do")
        }
        symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in
            Tasks.add(unsafeBitCast(job, to: UnownedJob.self))
        }
    }

    private static func add(_ job: UnownedJob) {
        Scheduler.current?.step()
        waiting.append(job)
    }

    /// Works on a thread of a scenario until the threads before it have finished and nothing is left to be done.
    static func work(_ workers: Range<Int>) {
        guard let scheduler = Scheduler.current else { return }
        while true {
            scheduler.wait {
                !waiting.isEmpty || active == 0 && scheduler.haveFinished(allBut: workers)
            }
            guard !waiting.isEmpty else { return }
            runFirst()
        }
    }

    /// Does what is left, between runs.
    static func drain() {
        while !waiting.isEmpty { runFirst() }
    }

    private static func runFirst() {
        let job = waiting.removeFirst()
        active += 1
        job.runSynchronously(on: .init(ordinary: Pool.shared))
        active -= 1
    }

    /// Stands for the pool of the runtime.
    private final class Pool: TaskExecutor {
        static let shared = Pool()
        func enqueue(_ job: UnownedJob) { Tasks.add(job) }
    }
}
