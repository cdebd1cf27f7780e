/// A type that reads little-endian fields.
///
/// Reading past the end returns `nil`.
struct LittleEndian: Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    func u8(_ offset: Int) -> UInt8? { bytes.indices.contains(offset) ? bytes[offset] : nil }
    func u16(_ offset: Int) -> UInt16? { value(offset) }
    func u32(_ offset: Int) -> UInt32? { value(offset) }
    func u64(_ offset: Int) -> UInt64? { value(offset) }

    /// Returns the text up to a zero byte, limited to 4,096 bytes.
    func string(_ offset: Int) -> String? {
        guard bytes.indices.contains(offset) else { return nil }
        let rest = bytes[offset...].prefix(4_096)
        return String(decoding: rest.prefix { $0 != 0 }, as: UTF8.self)
    }

    func hasPrefix(_ prefix: StaticString, at offset: Int) -> Bool {
        let length = prefix.utf8CodeUnitCount
        guard offset >= 0, offset <= bytes.count - length else { return false }
        return prefix.withUTF8Buffer { expected in
            for index in 0..<length where bytes[offset + index] != expected[index] { return false }
            return true
        }
    }

    private func value<Integer: FixedWidthInteger>(_ offset: Int) -> Integer? {
        let size = MemoryLayout<Integer>.size
        guard offset >= 0, offset <= bytes.count - size else { return nil }
        return bytes.withUnsafeBytes {
            Integer(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Integer.self))
        }
    }
}
