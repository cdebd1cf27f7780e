/// When a worker's accesses happen.
///
/// Times are *load time*: nanoseconds since the load began, which stand still while it is paused.
protocol LoadModel: Sendable {
    /// Whether arrivals come on a schedule, so that a late start is the load's lag.
    var isScheduled: Bool { get }

    /// The intended start of the next access of a worker that is free at `now`.
    ///
    /// It may be past already. Nil when no access comes any more.
    mutating func next(freeAt now: UInt64) -> UInt64?

    /// Where the last moment that ``next(freeAt:)`` gave lies now that somebody turned the load.
    func steered(_ moment: UInt64) -> UInt64
}

extension LoadModel {
    /// Most moments stay where they are.
    func steered(_ moment: UInt64) -> UInt64 { moment }
}
