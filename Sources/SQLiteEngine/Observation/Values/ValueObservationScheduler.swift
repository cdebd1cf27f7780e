import Foundation
import Telemetry

#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// Decides where the values of a ``ValueObservation`` are told.
public protocol ValueObservationScheduler: Sendable {
    /// Whether the first value is told before the start of the observation returns.
    func immediateInitialValue() -> Bool

    /// Runs an action later, after all those of the calls before.
    func schedule(_ action: @escaping @Sendable () -> Void)
}

/// A scheduler that tells values on the main actor.
public protocol ValueObservationMainActorScheduler: ValueObservationScheduler {
    /// Runs an action on the main actor later, after all those of the calls before.
    func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void)
}

extension ValueObservationMainActorScheduler {
    /// Runs an action on the main actor.
    public func schedule(_ action: @escaping @Sendable () -> Void) { scheduleOnMainActor(action) }
}

/// A scheduler that does nothing but run each action on a queue: many can go there together.
protocol QueueScheduler {
    var queue: DispatchQueue { get }
}

// MARK: -

/// Tells all values on a dispatch queue.
public struct AsyncValueObservationScheduler: ValueObservationScheduler, QueueScheduler {
    let queue: DispatchQueue

    /// Creates a scheduler; a concurrent queue would mix the values up.
    public init(queue: DispatchQueue) { self.queue = queue }

    /// Never.
    public func immediateInitialValue() -> Bool { false }

    /// Runs an action on the queue.
    public func schedule(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }
}

extension ValueObservationScheduler where Self == AsyncValueObservationScheduler {
    /// Tells all values on a serial dispatch queue.
    public static func async(onQueue queue: DispatchQueue) -> AsyncValueObservationScheduler {
        AsyncValueObservationScheduler(queue: queue)
    }
}

// MARK: -

/// Tells the first value before the start of the observation returns, and all on the main actor.
public struct ImmediateValueObservationScheduler: ValueObservationMainActorScheduler, QueueScheduler
{
    var queue: DispatchQueue { .main }

    /// Creates a scheduler.
    public init() {}

    /// Always; elsewhere than on the main thread it is a fatal error.
    public func immediateInitialValue() -> Bool {
        precondition(
            MainQueue.isCurrent,
            "ValueObservation must be started from the main thread."
        )
        return true
    }

    /// Runs an action on the main actor.
    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async(execute: action)
    }
}

extension ValueObservationScheduler where Self == ImmediateValueObservationScheduler {
    /// Tells the first value before the start of the observation returns; to be started on the
    /// main thread.
    public static var immediate: ImmediateValueObservationScheduler { .init() }
}

extension ValueObservationMainActorScheduler where Self == ImmediateValueObservationScheduler {
    /// Tells the first value before the start of the observation returns; to be started on the
    /// main thread.
    public static var immediate: ImmediateValueObservationScheduler { .init() }
}

// MARK: -

/// Tells all values on the main actor, the first one later too.
public final class DelayedMainActorValueObservationScheduler: ValueObservationMainActorScheduler,
    QueueScheduler
{
    var queue: DispatchQueue { .main }

    /// Never.
    public func immediateInitialValue() -> Bool { false }

    /// Runs an action on the main actor.
    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async(execute: action)
    }
}

extension ValueObservationScheduler where Self == DelayedMainActorValueObservationScheduler {
    /// Tells all values on the main actor.
    public static var mainActor: DelayedMainActorValueObservationScheduler { .init() }
}

// MARK: -

/// Tells all values in a task of its own.
public final class TaskValueObservationScheduler: ValueObservationScheduler {
    /// What the task has to run, in its order.
    ///
    /// Behind a lock, and not in the stream, so that the thread sanitizer sees who hands what to
    /// whom: `Promise` tells why it would not.
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
                // Each goes, with the value that it tells, when it has run.
                ready.reverse()
                while let action = ready.popLast() { action() }
            }
        }
    }

    deinit { task.cancel() }

    /// Never.
    public func immediateInitialValue() -> Bool { false }

    /// Runs an action in the task.
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        actions.withLock { $0.append(action) }
        wakeUps.yield()
    }
}

extension ValueObservationScheduler where Self == TaskValueObservationScheduler {
    /// Tells all values in a task.
    public static var task: TaskValueObservationScheduler { .init(priority: nil) }

    /// Tells all values in a task of a priority.
    public static func task(priority: TaskPriority) -> TaskValueObservationScheduler {
        .init(priority: priority)
    }
}

/// Tells whether the main queue's work runs here.
///
/// Where a program has called `dispatchMain()`, that need not be the thread it was started on.
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
