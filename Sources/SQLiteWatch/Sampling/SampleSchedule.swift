/// The moments of samples: one at random in each of equal, adjacent slots of time.
///
/// Samples at a fixed rate are biased where the watched program has a fixed rate, too: a fixed
/// 10 Hz beside a program of 10 Hz measured a share of 0.01 where 0.20 was true. Stratified
/// sampling is unbiased, because each moment is as likely as any other, and its error is at most
/// that of independent random moments (Cochran, Sampling Techniques, 1977, section 5.6): a lock
/// that is held or free for a whole slot contributes no error.
struct SampleSchedule: Sendable {
    /// The next sample, on the monotonic clock.
    private(set) var planned: UInt64
    /// The time that the next sample stands for, in nanoseconds: its slot, and those before it in
    /// which no sample could be made.
    private(set) var weight: Double = 0
    /// The end of the slot of the next sample.
    private var end: UInt64
    private var random: RandomBits

    /// The longest time that one sample stands for, in nanoseconds, unless a slot is longer.
    ///
    /// Nothing is known of a longer time in which this process did not run.
    private static let weightLimit = 1e9

    /// - Parameters:
    ///   - seed: The seed of the random moments.
    ///   - start: The start of the first slot.
    ///   - slot: Its length, in nanoseconds.
    init(seed: UInt64, start: UInt64, slot: Double) {
        planned = start
        end = start
        random = RandomBits(seed: seed)
        advance(at: start, slot: slot)
    }

    /// Plans the next sample after one was made.
    ///
    /// A sample whose slot has begun is made late rather than left out: where a busy machine
    /// delays this process, leaving samples out would favor the times at which it is idle.
    ///
    /// - Parameters:
    ///   - now: The monotonic clock.
    ///   - slot: The length of the next slot, in nanoseconds.
    mutating func advance(at now: UInt64, slot: Double) {
        let slot = max(slot, 1)
        let late = now > end ? Double(now - end) : 0
        let missed = (late / slot).rounded(.down)
        let start = end &+ UInt64(missed * slot)
        planned = start &+ UInt64(random.nextUnit() * slot)
        weight = min(slot * (1 + missed), max(slot, Self.weightLimit))
        end = start &+ UInt64(slot)
    }
}

/// Which samples read the list of all locks: one at random in each group of samples.
///
/// Every nth sample would be as biased as a fixed rate.
struct ListSchedule: Sendable {
    private var random: RandomBits
    private var position = 0
    private var length = 1
    private var chosen = 0

    init(seed: UInt64) { random = RandomBits(seed: seed) }

    /// Whether the next sample reads the list, where one in `group` does.
    ///
    /// A new length applies from the next group on.
    mutating func next(group: Int) -> Bool {
        if position == 0 {
            length = max(1, group)
            chosen = min(length - 1, Int(random.nextUnit() * Double(length)))
        }
        defer { position = (position + 1) % length }
        return position == chosen
    }

    /// The samples in the current group, for which the one that reads the list stands.
    var group: Int { length }
}

/// Random bits that follow from a seed: SplitMix64 (Steele, Lea and Flood, 2014).
struct RandomBits: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }

    /// The next number from 0 to below 1.
    mutating func nextUnit() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
