/// Determines the times of a worker's accesses.
///
/// Times are *load time*: nanoseconds since the start of the load, not counting pauses.
protocol LoadModel: Sendable {
    /// Whether accesses follow a schedule, so that a late start counts as lag.
    var isScheduled: Bool { get }

    /// Returns the intended start of the next access of a worker that is free at `now`.
    ///
    /// The start may be in the past. Returns nil after the last access.
    mutating func next(freeAt now: UInt64) -> UInt64?

    /// Returns the time to which a change of the load moves the last result of ``next(freeAt:)``.
    func steered(_ moment: UInt64) -> UInt64
}

extension LoadModel {
    /// By default, times do not move.
    func steered(_ moment: UInt64) -> UInt64 { moment }
}
