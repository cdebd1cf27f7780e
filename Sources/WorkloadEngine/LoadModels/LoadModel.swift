/// A type that determines when a worker's accesses start.
///
/// Times are *load times*: nanoseconds since the start of the load, excluding pauses.
protocol LoadModel: Sendable {
    /// Whether accesses follow a schedule.
    ///
    /// A late start of a scheduled access is recorded as lag.
    var isScheduled: Bool { get }

    /// Returns the intended start of a worker's next access if the worker is free at `now`.
    ///
    /// The start may be in the past. Returns `nil` after the last access.
    mutating func next(freeAt now: UInt64) -> UInt64?

    /// Returns the time of the next access after a change in the load.
    ///
    /// `time` is the last result of ``next(freeAt:)``.
    func rescheduled(_ time: UInt64) -> UInt64
}

extension LoadModel {
    /// Returns `time`, because most changes in the load do not move accesses.
    func rescheduled(_ time: UInt64) -> UInt64 { time }
}
