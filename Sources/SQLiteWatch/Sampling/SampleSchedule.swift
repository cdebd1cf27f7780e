import Telemetry

/// A schedule that takes one sample at a random time in each of a series of adjacent, equal slots.
///
/// Samples at a fixed rate are biased if the watched program also runs at a fixed rate. For
/// example, sampling a 10 Hz program at 10 Hz measured a share of 0.01 instead of 0.20. Stratified
/// sampling is unbiased, because all times are equally likely. Its error does not exceed that of
/// independent random times (Cochran, Sampling Techniques, 1977, section 5.6), because a lock that
/// is held or free for a whole slot contributes no error.
struct SampleSchedule: Sendable {
    /// The time of the next sample on the monotonic clock.
    private(set) var plannedTime: UInt64
    /// The time that the next sample represents, in nanoseconds, including preceding slots without
    /// a sample.
    private(set) var weight: Double = 0
    /// The end of the next sample's slot.
    private var end: UInt64
    private var random: SplitMix64

    /// The maximum time that one sample represents, in nanoseconds, unless a slot is longer.
    ///
    /// If this process is suspended for longer than this limit, the state during that time is
    /// unknown.
    private static let weightLimit = 1e9

    /// - Parameters:
    ///   - seed: The seed of the random times.
    ///   - start: The start of the first slot.
    ///   - slot: The length of a slot, in nanoseconds.
    init(seed: UInt64, start: UInt64, slot: Double) {
        plannedTime = start
        end = start
        random = SplitMix64(seed: seed)
        advance(at: start, slot: slot)
    }

    /// Plans the next sample.
    ///
    /// If a sample's slot has already started, the sample is taken late rather than omitted. On a
    /// busy machine, omitting late samples would favor the times at which the machine is idle.
    ///
    /// - Parameters:
    ///   - now: The time on the monotonic clock.
    ///   - slot: The length of the next slot, in nanoseconds.
    mutating func advance(at now: UInt64, slot: Double) {
        let slot = max(slot, 1)
        let late = now > end ? Double(now - end) : 0
        let missed = (late / slot).rounded(.down)
        let start = end &+ UInt64(missed * slot)
        plannedTime = start &+ UInt64(random.nextUnit() * slot)
        weight = min(slot * (1 + missed), max(slot, Self.weightLimit))
        end = start &+ UInt64(slot)
    }
}

/// A schedule that selects the samples that read `/proc/locks`, one random sample in each group.
///
/// Selecting every nth sample would have the same bias as a fixed rate.
struct ListSchedule: Sendable {
    private var random: SplitMix64
    private var position = 0
    private var length = 1
    private var chosen = 0

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Returns whether the next sample reads the list.
    ///
    /// A change of `group` takes effect with the next group.
    mutating func next(group: Int) -> Bool {
        if position == 0 {
            length = max(1, group)
            chosen = min(length - 1, Int(random.nextUnit() * Double(length)))
        }
        defer { position = (position + 1) % length }
        return position == chosen
    }

    /// The number of samples that the current group's read of the list represents.
    var group: Int { length }
}
