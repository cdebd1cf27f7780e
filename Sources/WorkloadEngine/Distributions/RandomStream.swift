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
