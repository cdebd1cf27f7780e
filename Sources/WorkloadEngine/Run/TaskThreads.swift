import Dispatch

/// Threads for the tasks of the load's clients.
///
/// The measured code may occupy or block the program's cooperative threads, which must not stop the
/// load.
final class TaskThreads: TaskExecutor {
    /// The threads of all runs.
    static let shared = TaskThreads()

    private let queue = DispatchQueue(label: "poolgauge.tasks", attributes: .concurrent)

    private init() {}

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
