/// A reader that derives values from the bytes of an input.
///
/// After the last byte, all values are zero.
struct InputReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func number(bytes: Int = 8) -> UInt64 {
        (0..<bytes).reduce(0) { value, _ in value << 8 | UInt64(byte()) }
    }

    /// Returns a number, which is often at the limit of an integer type or another range.
    mutating func extreme() -> UInt64 {
        let extremes: [UInt64] = [
            0, 1, 2, 10, 255, 256, 1_000, 65_535, 65_536, 1 << 31, 1 << 32, 1 << 53,
            UInt64(Int64.max) - 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max - 1, .max,
        ]
        let choice = Int(byte())
        return choice < extremes.count ? extremes[choice] : number(bytes: choice % 8 + 1)
    }

    /// Returns at most `count` bytes.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func remaining() -> [UInt8] { bytes(rest.count) }
}
