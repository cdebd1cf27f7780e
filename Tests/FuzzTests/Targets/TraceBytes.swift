@testable import SQLTrace

/// Records of the programs in the kernel, and a small program.
enum TraceBytes {
    /// A record of each kind, each after its length.
    static let records: [UInt8] = {
        var bytes: [UInt8] = []
        for (kind, size) in [
            (3, 280), (2, 280), (4, 680), (1, 152), (5, 40), (6, 40), (7, 40), (2, 176), (8, 176),
            (9, 176), (10, 176),
        ] {
            var record = [UInt8](repeating: 0, count: size)
            record[8] = 7
            record[12] = 7
            record[16] = UInt8(kind)
            // An execution has a text, and the first part of a text is also its last.
            record[18] = kind == 1 ? 4 : 1
            record[24] = 0x40
            record[32] = 0x80
            let text = Array((kind == 2 ? "SELECT 1\0" : "/d\0").utf8)
            if kind == 2 || kind == 3 {
                record[20] = UInt8(text.count)
                record.replaceSubrange(40..<(40 + text.count), with: text)
            }
            // An execution has counters, and is the first of its statement.
            if kind == 1 { (record[18], record[20], record[140]) = (6, 8, 1) }
            if kind == 10 { (record[20], record[40], record[49], record[50]) = (21, 1, 3, 2) }
            if kind == 8 || kind == 9 { (record[17], record[20]) = (1, 3) }
            if kind == 4 { (record[20], record[48], record[52]) = (2, 2, 3) }
            bytes += [UInt8(truncatingIfNeeded: size), UInt8(size >> 8)] + record
        }
        return bytes
    }()

    /// Splits records that follow their lengths.
    static func split(_ bytes: [UInt8]) -> [[UInt8]] {
        var records: [[UInt8]] = []
        var rest = bytes[...]
        while rest.count > 2 {
            let length = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
            rest = rest.dropFirst(2)
            records.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return records
    }

    /// A file with one segment, a dynamic symbol table, and the names of its symbols.
    static let program: [UInt8] = {
        var program = [UInt8](repeating: 0, count: 0x3A0)
        func put(_ value: some FixedWidthInteger, _ place: Int) {
            let bytes = bytes(of: value)
            program.replaceSubrange(place..<(place + bytes.count), with: bytes)
        }
        program.replaceSubrange(0..<6, with: [0x7F, 0x45, 0x4C, 0x46, 2, 1])
        for (place, value) in [(18, 62), (54, 56), (56, 1), (58, 64), (60, 4), (62, 2)] {
            put(UInt16(value), place)
        }
        for (place, value) in [
            (32, 64), (40, 0x200), (72, 0x100), (80, 0x1100), (96, 0x100), (0x258, 0x300),
            (0x260, 48), (0x298, 0x380), (0x2A0, 32), (0x320, 0x1140),
        ] {
            put(UInt64(value), place)
        }
        for (place, value) in [
            (64, 1), (68, 5), (0x244, 11), (0x268, 2), (0x284, 3), (0x2C4, 6), (0x318, 1),
        ] {
            put(UInt32(value), place)
        }
        program[0x31C] = 0x12
        put(UInt16(1), 0x31E)
        program.replaceSubrange(0x381..<0x38E, with: Array("sqlite3_step\0".utf8))
        return program
    }()

    private static func bytes(of value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
