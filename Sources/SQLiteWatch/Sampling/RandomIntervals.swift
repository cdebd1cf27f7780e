#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Intervals between samples, exponentially distributed.
///
/// Samples at a fixed rate are biased where the watched program has a rate of its own: a fixed
/// 10 Hz beside a program of 10 Hz measured a share of 0.01 where 0.20 was true. At exponential
/// intervals each moment is as likely as any other ("Poisson arrivals see time averages", Wolff,
/// 1982).
struct RandomIntervals: Sendable {
    private var state: UInt64

    /// The longest interval, as a multiple of the mean.
    static let limit = 6.0

    init(seed: UInt64) { state = seed }

    /// The next interval, in nanoseconds.
    mutating func next(mean: Double) -> UInt64 {
        // 53 random bits, of a number above 0 and at most 1.
        let unit = Double((nextBits() >> 11) + 1) / Double(1 << 53)
        return UInt64(min(-log(unit), Self.limit) * mean)
    }

    /// SplitMix64 (Steele, Lea and Flood, 2014).
    mutating func nextBits() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }
}

/// Keeps the cost of sampling below a share of one core.
///
/// The mean interval changes rarely, and from the cost of all samples since the last change: an
/// interval that depended on what a sample saw would bias the shares.
struct SampleRate: Sendable {
    /// The mean interval, in nanoseconds.
    private(set) var mean: Double
    private let shortest: Double
    /// The highest share of one core.
    var limit: Double
    /// Processor time of all samples, in nanoseconds.
    private(set) var total: Double = 0
    private var samples = 0
    private var cost: Double = 0

    /// Samples between two changes; fewer where they take more time than this, in nanoseconds.
    private static let round = 50
    private static let slowRound = 5
    private static let slowRoundTime = 2e9
    /// The longest mean interval, in nanoseconds.
    private static let longest = 1e9

    /// - Parameters:
    ///   - samplesPerSecond: The highest rate.
    ///   - limit: The highest share of one core.
    init(samplesPerSecond: Double, limit: Double) {
        shortest = 1e9 / max(samplesPerSecond, 0.1)
        mean = shortest
        self.limit = max(limit, 0.000_1)
    }

    /// Counts the processor time of a sample, in nanoseconds.
    mutating func add(cost nanoseconds: UInt64) {
        samples += 1
        cost += Double(nanoseconds)
        total += Double(nanoseconds)
        let isRound = samples >= Self.round
        let isSlow = samples >= Self.slowRound && Double(samples) * mean > Self.slowRoundTime
        guard isRound || isSlow else { return }
        mean = min(max(shortest, cost / Double(samples) / limit), Self.longest)
        samples = 0
        cost = 0
    }
}
