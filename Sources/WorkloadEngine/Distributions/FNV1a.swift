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
