/// Determines when a worker's accesses start.
///
/// Times are *load times*, which are nanoseconds since the start of the load, excluding pauses.
protocol LoadModel: Sendable {
    /// Whether accesses follow a schedule, which means that a late start is recorded as lag.
    var isScheduled: Bool { get }

    /// Returns the intended start of a worker's next access if the worker is free at `now`.
    ///
    /// The start may be in the past. Returns `nil` after the last access.
    mutating func next(freeAt now: UInt64) -> UInt64?

    /// Returns the time of an access after a change in the load.
    ///
    /// `moment` is the last result of ``next(freeAt:)``.
    func steered(_ moment: UInt64) -> UInt64
}

extension LoadModel {
    /// Returns `moment`.
    ///
    /// By default, a change in the load does not move accesses.
    func steered(_ moment: UInt64) -> UInt64 { moment }
}
