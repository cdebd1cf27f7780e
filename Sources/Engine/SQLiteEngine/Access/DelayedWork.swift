#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// A type that runs work after a pause, without blocking a thread.
enum DelayedWork {
    static func run(after pause: Duration, _ body: @escaping @Sendable () -> Void) {
        let (seconds, attoseconds) = pause.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        DispatchQueue.global(qos: .userInitiated)
            .asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: body)
    }
}
