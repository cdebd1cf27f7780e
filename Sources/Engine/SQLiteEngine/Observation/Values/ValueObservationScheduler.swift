import Foundation
import Telemetry

#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// A type that determines where a ``ValueObservation`` delivers its values.
public protocol ValueObservationScheduler: Sendable {
    /// Returns whether the observation delivers the first value before its start method returns.
    func immediateInitialValue() -> Bool

    /// Schedules an action to run after the actions of all previous calls.
    func schedule(_ action: @escaping @Sendable () -> Void)
}

/// A scheduler that delivers values on the main actor.
public protocol ValueObservationMainActorScheduler: ValueObservationScheduler {
    /// Schedules an action to run on the main actor after the actions of all previous calls.
    func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void)
}

extension ValueObservationMainActorScheduler {
    /// Runs an action on the main actor.
    public func schedule(_ action: @escaping @Sendable () -> Void) { scheduleOnMainActor(action) }
}

/// A scheduler that runs all actions on one queue, so that one dispatch can deliver several values.
protocol QueueScheduler {
    var queue: DispatchQueue { get }
}

// MARK: -

/// A scheduler that delivers all values on a dispatch queue.
public struct AsyncValueObservationScheduler: ValueObservationScheduler, QueueScheduler {
    let queue: DispatchQueue

    /// Creates a scheduler.
    ///
    /// - Parameter queue: The queue. Use a serial queue to preserve the order of values.
    public init(queue: DispatchQueue) { self.queue = queue }

    /// Returns `false`.
    public func immediateInitialValue() -> Bool { false }

    /// Runs an action on the queue.
    public func schedule(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }
}

extension ValueObservationScheduler where Self == AsyncValueObservationScheduler {
    /// Returns a scheduler that delivers all values on a serial dispatch queue.
    public static func async(onQueue queue: DispatchQueue) -> AsyncValueObservationScheduler {
        AsyncValueObservationScheduler(queue: queue)
    }
}

// MARK: -

/// A scheduler that delivers all values on the main actor.
///
/// The first value arrives before the observation's start method returns.
public struct ImmediateValueObservationScheduler: ValueObservationMainActorScheduler, QueueScheduler
{
    var queue: DispatchQueue { .main }

    /// Creates a scheduler.
    public init() {}

    /// Returns `true`.
    ///
    /// Calling this method on any thread other than the main thread is a fatal error.
    public func immediateInitialValue() -> Bool {
        precondition(MainQueue.isCurrent, "ValueObservation must be started from the main thread.")
        return true
    }

    /// Runs an action on the main actor.
    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async(execute: action)
    }
}

extension ValueObservationScheduler where Self == ImmediateValueObservationScheduler {
    /// A scheduler that delivers the first value before the observation's start method returns.
    ///
    /// Start the observation on the main thread.
    public static var immediate: ImmediateValueObservationScheduler { .init() }
}

// MARK: -

/// A scheduler that delivers all values on the main actor, after the observation's start method
/// has returned.
public final class DelayedMainActorValueObservationScheduler: ValueObservationMainActorScheduler,
    QueueScheduler
{
    var queue: DispatchQueue { .main }

    /// Returns `false`.
    public func immediateInitialValue() -> Bool { false }

    /// Runs an action on the main actor.
    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async(execute: action)
    }
}

extension ValueObservationScheduler where Self == DelayedMainActorValueObservationScheduler {
    /// A scheduler that delivers all values on the main actor.
    public static var mainActor: DelayedMainActorValueObservationScheduler { .init() }
}

// MARK: -

/// A scheduler that delivers all values in a separate task.
public final class TaskValueObservationScheduler: ValueObservationScheduler {
    /// The actions that the task must run, in order.
    ///
    /// A lock protects the actions. The stream carries no actions, so that Thread Sanitizer can
    /// detect each transfer between threads. See `Promise` for the reason.
    private let actions: Lock<[@Sendable () -> Void]>
    private let wakeUps: AsyncStream<Void>.Continuation
    private let task: Task<Void, Never>

    init(priority: TaskPriority?) {
        let (stream, wakeUps) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let actions = Lock<[@Sendable () -> Void]>([])
        self.wakeUps = wakeUps
        self.actions = actions
        task = Task(priority: priority) {
            for await _ in stream {
                var ready = actions.withLock { actions in
                    defer { actions = [] }
                    return actions
                }
                // Releases each action, and the value that it delivers, after the action has run.
                ready.reverse()
                while let action = ready.popLast() { action() }
            }
        }
    }

    deinit { task.cancel() }

    /// Returns `false`.
    public func immediateInitialValue() -> Bool { false }

    /// Runs an action in the task.
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        actions.withLock { $0.append(action) }
        wakeUps.yield()
    }
}

extension ValueObservationScheduler where Self == TaskValueObservationScheduler {
    /// A scheduler that delivers all values in a task.
    public static var task: TaskValueObservationScheduler { .init(priority: nil) }

    /// Returns a scheduler that delivers all values in a task with the given priority.
    public static func task(priority: TaskPriority) -> TaskValueObservationScheduler {
        .init(priority: priority)
    }
}

/// A check for whether the current thread runs the main queue.
///
/// In a program that has called `dispatchMain()`, the thread that runs the main queue may differ
/// from the thread that started the program.
private enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true
    }
}
