import Dispatch

/// Threads of the load's own for the tasks of its clients: the program's cooperative threads may
/// be busy with what is measured, or blocked by it, and the load would stand still with them.
final class TaskThreads: TaskExecutor {
    /// Those of all runs.
    static let shared = TaskThreads()

    private let queue = DispatchQueue(label: "poolgauge.tasks", attributes: .concurrent)

    private init() {}

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
