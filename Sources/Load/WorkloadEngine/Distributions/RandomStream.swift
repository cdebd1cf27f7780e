import Telemetry

/// A stream of random numbers, which is identical on all platforms for the same seed and name.
///
/// The generator is xoshiro256** 1.0 by Blackman and Vigna ("Scrambled Linear Pseudorandom Number
/// Generators", ACM TOMS 47, 2021). As they recommend, SplitMix64 (Steele, Lea, and Flood, OOPSLA
/// 2014) produces the initial state. Neighboring seeds therefore produce unrelated streams.
public struct RandomStream: RandomNumberGenerator, Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    /// Creates one of the independent streams of a run.
    ///
    /// - Parameters:
    ///   - seed: The run's seed.
    ///   - stream: The stream's name, such as a client's name.
    ///   - worker: The number of the worker that uses the stream.
    public init(seed: UInt64, stream: String, worker: Int = 0) {
        var mixer = SplitMix64(seed: seed)
        mixer.absorb(FNV1a.hash(stream.utf8))
        mixer.absorb(UInt64(bitPattern: Int64(worker)))
        state = (mixer.next(), mixer.next(), mixer.next(), mixer.next())
    }

    /// Creates a stream from a state, which must not be all zeros.
    init(state: (UInt64, UInt64, UInt64, UInt64)) { self.state = state }

    /// Draws the next 64 bits.
    public mutating func next() -> UInt64 {
        let result = Self.rotate(state.1 &* 5, by: 7) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = Self.rotate(state.3, by: 45)
        return result
    }

    /// Draws a uniform number in 0..<bound, or in 0...UInt64.max if the bound is 0.
    ///
    /// The algorithm is Lemire's ("Fast Random Integer Generation in an Interval", ACM TOMACS 29,
    /// 2019). The result is unbiased, and divisions are rare.
    public mutating func next(below bound: UInt64) -> UInt64 {
        guard bound > 0 else { return next() }
        var product = next().multipliedFullWidth(by: bound)
        if product.low < bound {
            let threshold = (0 &- bound) % bound
            while product.low < threshold { product = next().multipliedFullWidth(by: bound) }
        }
        return product.high
    }

    /// Draws a multiple of 2⁻⁵³ in 0..<1.
    public mutating func nextUnit() -> Double { Double(next() >> 11) * 0x1p-53 }

    private static func rotate(_ value: UInt64, by bits: UInt64) -> UInt64 {
        (value << bits) | (value >> (64 - bits))
    }
}

/// The 64-bit Fowler–Noll–Vo hash, variant 1a (<http://www.isthe.com/chongo/tech/comp/fnv/>).
enum FNV1a {
    private static let offsetBasis: UInt64 = 0xCBF2_9CE4_8422_2325
    private static let prime: UInt64 = 0x100_0000_01B3

    static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(offsetBasis) { ($0 ^ UInt64($1)) &* prime }
    }

    /// Returns the result of YCSB's `Utils.fnvhash64`, which hashes the lowest byte first and
    /// removes the sign.
    static func ycsbHash(_ value: UInt64) -> UInt64 {
        var hash = offsetBasis
        for shift in stride(from: 0 as UInt64, to: 64, by: 8) {
            hash = (hash ^ (value >> shift & 0xFF)) &* prime
        }
        return Int64(bitPattern: hash).magnitude
    }
}
