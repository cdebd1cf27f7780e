import Telemetry

/// One access of a load test, inside of its closure.
public final class LoadAccess: Sendable {
    /// The access's number among its client's, from 0.
    public let number: UInt64
    /// Random numbers of its own: the same in every run with the same seed.
    public let random: RandomStream
    private let clock: any RunClock
    private let entry = Lock<UInt64?>(nil)

    init(number: UInt64, random: RandomStream, clock: any RunClock) {
        self.number = number
        self.random = random
        self.clock = clock
    }

    /// Says that the wait is over and the work begins: call it first thing inside of a `read` or a
    /// `write`.
    ///
    /// The time before it is the access's wait, the time after it its service. Without it, all of
    /// the access counts as service. Any thread may call it; the first time counts.
    public func enter() {
        let now = clock.now()
        entry.withLock { $0 = $0 ?? now }
    }

    /// When ``enter()`` was called, on the clock.
    var entered: UInt64? { entry.withLock { $0 } }
}
