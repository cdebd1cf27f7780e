/// A small ELF file that contains a table of functions as SQLite's `sqlite3_api_routines`, and no
/// symbols.
package struct SmallProgram {
    /// How a file specifies its pointers.
    package enum Pointers: CaseIterable, Sendable {
        /// The data contains the pointers, because the file is loaded at a fixed address.
        case fixed
        /// Each relocation specifies an address and a pointer.
        case relocations
        /// A map of the pointers in the data.
        case compactRelocations
    }

    package var bytes: [UInt8]
    /// The address of the table.
    package let table: UInt64
    /// The address of the function that returns nothing in each slot, plus the slot.
    package let functions: UInt64

    private static let slotCount = 215

    /// Creates a file.
    ///
    /// - Parameters:
    ///   - pointers: How the file specifies its pointers.
    ///   - version: The text that `sqlite3_libversion` returns.
    ///   - number: The number that `sqlite3_libversion_number` returns.
    ///   - missing: The slots without a function.
    package init(
        _ pointers: Pointers,
        version: String = "3.46.1",
        number: UInt32 = 3_046_001,
        missing: Range<Int> = 0..<0
    ) {
        let base: UInt64 = pointers == .fixed ? 0x40_0000 : 0
        let (code, text, table, dynamic, relocations) = (0x100, 0x220, 0x240, 0x900, 0x980)
        self.table = base + 0x2000 + UInt64(table)
        functions = base + 0x1000 + UInt64(code) + 0x20
        var bytes = [UInt8](repeating: 0, count: relocations)
        func put(_ value: some FixedWidthInteger, _ place: Int) {
            withUnsafeBytes(of: value.littleEndian) {
                bytes.replaceSubrange(place..<(place + $0.count), with: $0)
            }
        }
        bytes.replaceSubrange(0..<6, with: [0x7f, 0x45, 0x4c, 0x46, 2, 1])
        put(UInt16(pointers == .fixed ? 2 : 3), 16)
        put(UInt16(62), 18)
        put(UInt64(64), 32)
        put(UInt16(56), 54)
        // mov eax, NUMBER; ret
        bytes[code] = 0xb8
        put(number, code + 1)
        bytes[code + 5] = 0xc3
        // lea rax, [rip + TEXT]; ret
        bytes.replaceSubrange(code + 16..<(code + 19), with: [0x48, 0x8d, 0x05])
        put(UInt32(0x1000 + text - code - 23), code + 19)
        bytes[code + 23] = 0xc3
        for slot in 0..<Self.slotCount { bytes[code + 0x20 + slot] = 0xc3 }
        let characters = Array(version.utf8.prefix(24))
        bytes.replaceSubrange(text..<(text + characters.count), with: characters)
        var added: [UInt8] = []
        var map: [UInt64] = [self.table]
        func add(_ value: UInt64) { withUnsafeBytes(of: value.littleEndian) { added += $0 } }
        for slot in 0..<Self.slotCount where !missing.contains(slot) {
            let function =
                switch slot {
                case 66: base + 0x1000 + UInt64(code) + 16
                case 67: base + 0x1000 + UInt64(code)
                default: functions + UInt64(slot)
                }
            let address = self.table + 8 * UInt64(slot)
            switch pointers {
            case .relocations:
                add(address)
                add(8)
                add(function)
            case .fixed, .compactRelocations: put(function, table + 8 * slot)
            }
            // The first word of the map is the address of the first slot.
            let (word, bit) = ((slot + 62) / 63, (slot + 62) % 63)
            if map.count <= word { map.append(1) }
            if slot > 0 { map[word] |= 2 << UInt64(bit) }
        }
        if pointers == .compactRelocations { for word in map { add(word) } }
        let tags: [(UInt64, UInt64)] =
            switch pointers {
            case .fixed: []
            case .relocations: [(7, 0x2000 + UInt64(relocations)), (8, UInt64(added.count))]
            case .compactRelocations:
                [(36, 0x2000 + UInt64(relocations)), (35, UInt64(added.count))]
            }
        for (index, tag) in tags.enumerated() {
            put(tag.0, dynamic + 16 * index)
            put(tag.1, dynamic + 16 * index + 8)
        }
        bytes += added
        let segments: [(type: UInt32, flags: UInt32, offset: Int, size: Int)] = [
            (1, 5, code, text - code), (1, 6, text, bytes.count - text),
            (2, 6, dynamic, relocations - dynamic),
        ]
        put(UInt16(segments.count), 56)
        for (index, segment) in segments.enumerated() {
            let place = 64 + 56 * index
            put(segment.type, place)
            put(segment.flags, place + 4)
            put(UInt64(segment.offset), place + 8)
            put(base + (index == 0 ? 0x1000 : 0x2000) + UInt64(segment.offset), place + 16)
            put(UInt64(segment.size), place + 32)
        }
        self.bytes = bytes
    }
}
