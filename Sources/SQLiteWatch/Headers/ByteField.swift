/// A type that reads integers from bytes that another program wrote, with bounds checks.
///
/// Reading past the end returns `nil`, so truncated and malformed files never cause a trap.
struct ByteField {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    func byte(_ offset: Int) -> UInt8? {
        offset >= 0 && offset < bytes.count ? bytes[offset] : nil
    }

    /// Returns the big-endian 16-bit integer at an offset.
    func big16(_ offset: Int) -> UInt16? {
        guard let high = byte(offset), let low = byte(offset + 1) else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    /// Returns the big-endian 32-bit integer at an offset.
    func big32(_ offset: Int) -> UInt32? {
        guard let high = big16(offset), let low = big16(offset + 2) else { return nil }
        return UInt32(high) << 16 | UInt32(low)
    }

    /// Returns the 16-bit integer at an offset, in this machine's byte order.
    func native16(_ offset: Int) -> UInt16? { big16(offset).map { UInt16(bigEndian: $0) } }

    /// Returns the 32-bit integer at an offset, in this machine's byte order.
    func native32(_ offset: Int) -> UInt32? { big32(offset).map { UInt32(bigEndian: $0) } }

    /// Returns the SQLite varint at an offset, with its length of one to nine bytes.
    func varint(_ offset: Int) -> (value: UInt64, length: Int)? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard let byte = byte(offset + index) else { return nil }
            if index == 8 { return (value << 8 | UInt64(byte), 9) }
            value = value << 7 | UInt64(byte & 0x7f)
            if byte & 0x80 == 0 { return (value, index + 1) }
        }
        return nil
    }

    func bytes(_ range: Range<Int>) -> [UInt8]? {
        range.lowerBound >= 0 && range.upperBound <= bytes.count ? Array(bytes[range]) : nil
    }

    func matches(_ expected: some Collection<UInt8>, at offset: Int) -> Bool {
        guard offset >= 0, offset + expected.count <= bytes.count else { return false }
        return bytes[offset..<offset + expected.count].elementsEqual(expected)
    }
}
