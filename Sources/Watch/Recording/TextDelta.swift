/// The difference between two texts, as instructions that copy parts of the first text.
///
/// A sample repeats the names and most values of an earlier sample. The instructions begin with a
/// variable-length integer (LEB128). If its lowest bit is 0, the other bits are the number of
/// literal bytes that follow. Otherwise, the other bits are the number of bytes to copy, and a
/// second integer contains the distance from the end of the previous copy to the start of this
/// copy, with its sign in the lowest bit (zigzag).
enum TextDelta {
    /// The minimum length of a copy, in bytes.
    ///
    /// The instruction for a shorter copy would not be smaller than the copied text.
    private static let minimumCopyLength = 6
    private static let tableBits = 14
    /// The maximum length of a decoded text, in bytes.
    private static let maximumTextLength = 1 << 26

    static func encode(_ text: [UInt8], from base: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count / 4)
        let table = positions(in: base)
        var position = 0
        var literalStart = 0
        var copyEnd = 0
        while position < text.count {
            // After a changed value, the texts usually match again at the same distance.
            let expected = copyEnd + (position - literalStart)
            var start = expected
            var length = commonLength(text, at: position, base: base, start: expected)
            if length < minimumCopyLength, position + minimumCopyLength <= text.count {
                start = Int(table[hash(text, at: position)])
                length = start < 0 ? 0 : commonLength(text, at: position, base: base, start: start)
            }
            guard length >= minimumCopyLength else {
                position += 1
                continue
            }
            appendLiteral(text[literalStart..<position], to: &output)
            append(UInt64(length) << 1 | 1, to: &output)
            append(zigzag(start - copyEnd), to: &output)
            position += length
            literalStart = position
            copyEnd = start + length
        }
        appendLiteral(text[literalStart...], to: &output)
        return output
    }

    /// Returns the text that was passed to ``encode(_:from:)``, or `nil` if the instructions are
    /// damaged.
    static func decode(_ delta: [UInt8], from base: [UInt8]) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(base.count + delta.count)
        var index = 0
        var copyEnd = 0
        while index < delta.count {
            guard let instruction = integer(in: delta, &index) else { return nil }
            let count = Int(instruction >> 1)
            // A damaged count must not cause a large allocation.
            guard count <= maximumTextLength, output.count + count <= maximumTextLength else {
                return nil
            }
            if instruction & 1 == 0 {
                guard index + count <= delta.count else { return nil }
                output += delta[index..<(index + count)]
                index += count
            } else {
                guard let distance = integer(in: delta, &index), distance < 1 << 40 else {
                    return nil
                }
                let start = copyEnd + unzigzag(distance)
                guard start >= 0, start + count <= base.count else { return nil }
                output += base[start..<(start + count)]
                copyEnd = start + count
            }
        }
        return output
    }

    private static func positions(in base: [UInt8]) -> [Int32] {
        var table = [Int32](repeating: -1, count: 1 << tableBits)
        guard base.count >= minimumCopyLength else { return table }
        for position in 0...(base.count - minimumCopyLength) {
            table[hash(base, at: position)] = Int32(position)
        }
        return table
    }

    private static func hash(_ text: [UInt8], at position: Int) -> Int {
        var value: UInt64 = 0
        for offset in 0..<minimumCopyLength { value = value << 8 | UInt64(text[position + offset]) }
        return Int(truncatingIfNeeded: (value &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - tableBits))
    }

    private static func commonLength(
        _ text: [UInt8],
        at position: Int,
        base: [UInt8],
        start: Int
    ) -> Int {
        guard start >= 0, start < base.count else { return 0 }
        let limit = min(text.count - position, base.count - start)
        var length = 0
        while length < limit, text[position + length] == base[start + length] { length += 1 }
        return length
    }

    private static func appendLiteral(_ bytes: ArraySlice<UInt8>, to output: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        append(UInt64(bytes.count) << 1, to: &output)
        output += bytes
    }

    private static func append(_ value: UInt64, to output: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        output.append(UInt8(rest))
    }

    private static func integer(in delta: [UInt8], _ index: inout Int) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while index < delta.count, shift < 63 {
            let byte = delta[index]
            index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    private static func zigzag(_ value: Int) -> UInt64 {
        UInt64(bitPattern: Int64(value << 1 ^ value >> 63))
    }

    private static func unzigzag(_ value: UInt64) -> Int {
        Int(value >> 1) ^ -Int(value & 1)
    }
}
