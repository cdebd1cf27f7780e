/// A seeded random number generator (Steele, Lea, and Flood, "Fast Splittable Pseudorandom Number
/// Generators", OOPSLA 2014).
///
/// Runs draw from `RandomStream`, whose state this generator derives from the seed.
package struct SplitMix64: Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// Returns the next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// Returns the next multiple of 2⁻⁵³ in `0..<1`.
    package mutating func nextUnit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Mixes in a value that affects all later words.
    package mutating func absorb(_ value: UInt64) { state = next() ^ value }
}
