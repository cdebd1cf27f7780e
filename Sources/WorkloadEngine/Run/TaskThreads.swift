import Dispatch

/// Threads for the load's tasks.
///
/// The measured code may block the threads of the program's cooperative pool. Separate threads
/// keep the load running.
final class TaskThreads: TaskExecutor {
    static let shared = TaskThreads()

    private let queue = DispatchQueue(label: "poolgauge.tasks", attributes: .concurrent)

    private init() {}

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
