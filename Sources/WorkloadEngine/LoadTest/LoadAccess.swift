import Telemetry

/// An access of a load test, which the access's closure receives.
public final class LoadAccess: Sendable {
    /// The access's index among the client's accesses, starting at 0.
    public let number: UInt64
    /// The random numbers for this access, identical in every run with the same seed.
    public let random: RandomStream
    private let clock: any RunClock
    private let entry = Lock<UInt64?>(nil)

    init(number: UInt64, random: RandomStream, clock: any RunClock) {
        self.number = number
        self.random = random
        self.clock = clock
    }

    /// Records the end of the wait and the start of the work.
    ///
    /// Call this method first inside a `read` or a `write`. The time before the call is the
    /// access's wait, and the time after the call is its service time. If the closure does not call
    /// this method, the entire access is service time. Only the first call has an effect. This
    /// method is safe to call from any thread.
    public func enter() {
        let now = clock.now()
        entry.withLock { $0 = $0 ?? now }
    }

    /// The time of the first call to ``enter()``, or `nil` before that call.
    var entryTime: UInt64? { entry.withLock { $0 } }
}
