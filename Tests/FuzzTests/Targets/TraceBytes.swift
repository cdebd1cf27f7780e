@testable import SQLTrace

/// Records of a kernel's trace buffer, the formats of their events, and a small program.
enum TraceBytes {
    static let layout = StatementLayout(
        sql: 248,
        connection: 0,
        programCounter: 48,
        resultCode: 52,
        steps: 224,
        autocommit: 101,
        filePointers: [32, 8, 8, 0, 216],
        busyCalls: 680,
        busyTimeout: 764,
        values: .init(array: 128, count: 32, stride: 56, flags: 20, length: 16, pointer: 8)
    )

    /// The formats of all events, numbered 1 to 10.
    static let formats: [(EventDecoder.Meaning, EventFormat)] = {
        let meanings: [EventDecoder.Meaning] = [
            .reset, .finalize, .exec, .execReturn, .step, .stepReturn, .close, .newThread,
            .newProgram, .exit,
        ]
        return meanings.enumerated().compactMap { number, meaning in
            EventFormat(text(number + 1)).map { (meaning, $0) }
        }
    }()

    static let format = Array(text(11).utf8)

    private static func text(_ id: Int) -> String {
        var lines = ["ID: \(id)", "format:"]
        var offset = 8
        func add(_ type: String, _ name: String, _ size: Int) {
            lines.append("\tfield:\(type) \(name);\toffset:\(offset);\tsize:\(size);\tsigned:0;")
            offset += size
        }
        for name in ["st", "db", "sql"] { add("u64", name, 8) }
        for name in ["pc", "rc", "vm", "nb", "bt", "pid", "clone_flags"] { add("u32", name, 4) }
        add("u8", "ac", 1)
        add("u8", "group_dead", 1)
        add("u16", "nv", 2)
        for name in ["text", "file"] { add("__data_loc char[]", name, 4) }
        for index in 0..<2 {
            add("u64", "v\(index)", 8)
            add("u16", "f\(index)", 2)
            add("u32", "l\(index)", 4)
            add("u64", "t\(index)[8]", 64)
        }
        return lines.joined(separator: "\n")
    }

    /// One record for each event.
    private static let records: [[UInt8]] = ([5, 6, 1, 3, 4, 2, 7, 8, 9, 10] as [UInt8]).map { id in
        var record = [UInt8](repeating: 0, count: 240)
        record[0] = id
        record[4] = 9
        record[8] = 0x40
        record[16] = 0x80
        record[24] = 0xC0
        record[60] = 0
        record[62] = 2
        // The text and the file follow the other fields.
        record.replaceSubrange(64..<72, with: [228, 0, 9, 0, 237, 0, 3, 0])
        record.replaceSubrange(228..<240, with: Array("SELECT 1\0/d\0".utf8))
        return record
    }

    static let page: [UInt8] = {
        var content: [UInt8] = []
        for record in records {
            content += bytes(of: UInt32(5 << 5)) + bytes(of: UInt32(record.count + 4)) + record
        }
        return bytes(of: UInt64(1_000)) + bytes(of: UInt64(content.count)) + content
    }()

    static let buffer: [UInt8] = {
        var buffer: [UInt8] = []
        for (number, record) in records.enumerated() {
            buffer += bytes(of: UInt32(9)) + bytes(of: UInt16(0))
            buffer += bytes(of: UInt16(record.count + 28)) + bytes(of: UInt64(77))
            buffer += bytes(of: UInt64(number)) + bytes(of: UInt32(record.count)) + record
        }
        return buffer
    }()

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
