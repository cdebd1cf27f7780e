/// Determines the times of a worker's accesses.
///
/// Times are *load time*: nanoseconds since the start of the load, not counting pauses.
protocol LoadModel: Sendable {
    /// Whether accesses follow a schedule, which means that a late start counts as lag.
    var isScheduled: Bool { get }

    /// Returns the intended start of a worker's next access if the worker is free at `now`.
    ///
    /// The start may be in the past. Returns nil after the last access.
    mutating func next(freeAt now: UInt64) -> UInt64?

    /// Returns the time to which a load change moves the last result of ``next(freeAt:)``.
    func steered(_ moment: UInt64) -> UInt64
}

extension LoadModel {
    /// Returns `moment`, because by default, load changes do not move accesses.
    func steered(_ moment: UInt64) -> UInt64 { moment }
}
