import Telemetry

/// A budget that keeps the cost of samples below a share of one core.
///
/// The rates rarely change, and they depend on the cost of all samples since the last change. If a
/// rate depended on the content of a single sample, the shares would be biased.
struct SampleBudget: Sendable {
    /// The length of a slot, which contains one sample, in nanoseconds.
    private(set) var slot: Double
    /// The number of samples in a group, of which one reads `/proc/locks`.
    private(set) var group: Int
    /// The maximum share of one core.
    var limit: Double
    /// The processor time of all samples, in nanoseconds.
    private(set) var totalCost: Double = 0
    private let minimumSlot: Double
    private var samples = 0
    private var cost: Double = 0
    private var listCount = 0
    private var listCost: Double = 0
    private var isFirstRound = true

    /// The number of samples between two rate changes.
    private static let roundLength = 50
    /// The number of samples in the first round, and in a round that spans more than
    /// `slowRoundTime`.
    private static let slowRoundLength = 5
    /// The duration above which a round is slow, in nanoseconds.
    private static let slowRoundTime = 2e9
    /// The maximum length of a slot, in nanoseconds.
    private static let maximumSlot = 1e9
    /// The minimum mean time between two reads of the lock list, in nanoseconds.
    ///
    /// To save processor time, readers are sampled less often than writers.
    private static let minimumListPause = 1e8
    /// The fraction of the limit for samples, excluding reads of the lock list.
    private static let sampleShare = 0.7

    /// - Parameters:
    ///   - samplesPerSecond: The maximum sampling rate.
    ///   - limit: The maximum share of one core.
    init(samplesPerSecond: Double, limit: Double) {
        minimumSlot = 1e9 / max(samplesPerSecond, 0.1)
        slot = minimumSlot
        group = Self.minimumGroup(slot: minimumSlot)
        self.limit = max(limit, 0.000_1)
    }

    /// Records the processor time of samples, in nanoseconds.
    ///
    /// - Parameters:
    ///   - nanoseconds: The processor time of the samples, excluding reads of the lock list.
    ///   - count: The number of samples.
    ///   - listNanoseconds: The processor time of reading the lock list.
    ///   - listCount: The number of times that the lock list was read.
    mutating func add(
        cost nanoseconds: UInt64,
        of count: Int,
        listCost listNanoseconds: UInt64,
        of listCount: Int
    ) {
        samples += count
        cost += Double(nanoseconds)
        self.listCount += listCount
        listCost += Double(listNanoseconds)
        totalCost += Double(nanoseconds) + Double(listNanoseconds)
        let isRoundComplete =
            samples >= (isFirstRound ? Self.slowRoundLength : Self.roundLength)
        let isSlow =
            samples >= Self.slowRoundLength && Double(samples) * slot > Self.slowRoundTime
        guard isRoundComplete || isSlow else { return }
        endRound()
    }

    private static func minimumGroup(slot: Double) -> Int {
        max(1, Int((minimumListPause / slot).rounded()))
    }

    private mutating func endRound() {
        let costPerSample = cost / Double(samples)
        slot = min(max(minimumSlot, costPerSample / (limit * Self.sampleShare)), Self.maximumSlot)
        // A round may contain no read of the list, because a group may be longer than a round.
        if listCount > 0 {
            let rest = max(limit - costPerSample / slot, limit * (1 - Self.sampleShare))
            let desiredGroup = (listCost / Double(listCount) / (rest * slot)).rounded(.up)
            group = Int(min(desiredGroup, max(1, Self.maximumSlot / slot)))
            group = max(group, Self.minimumGroup(slot: slot))
            listCount = 0
            listCost = 0
        }
        samples = 0
        cost = 0
        isFirstRound = false
    }
}

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
