/// The parts of a 64-bit little-endian ELF file that probes require: the function symbols and the
/// file offsets of their code (System V ABI, "Object files").
///
/// The file is untrusted, so each offset is checked. A malformed file has no symbols.
struct ELFFile: Sendable {
    enum Machine: Sendable, Equatable {
        case x86_64
        case arm64
    }

    struct Function: Sendable, Equatable {
        /// The address, relative to the start of the loaded file.
        var address: UInt64
        /// The file offset of the function's first instruction.
        var fileOffset: UInt64
        /// The length in bytes, or 0 if the file does not specify it.
        var length: UInt64
    }

    let machine: Machine
    /// Whether the file is a Go program.
    ///
    /// Return probes must not be used in a Go program, because they modify the stack, which Go's
    /// runtime unwinds.
    let isGo: Bool
    private(set) var functions: [String: Function] = [:]

    /// The maximum total size of the symbol and name tables, in bytes.
    private static let symbolLimit: UInt64 = 1 << 27
    /// The maximum size of any other table, in bytes.
    private static let tableLimit: UInt64 = 1 << 22
    private static let symbolLength = 24

    private struct Section {
        var name: UInt32
        var type: UInt32
        var offset: UInt64
        var size: UInt64
        var link: UInt32
    }

    private struct Segment {
        var offset: UInt64
        var address: UInt64
        var size: UInt64
    }

    /// Reads the functions with the requested names, or returns `nil` if the file is not a
    /// supported ELF file.
    ///
    /// - Parameters:
    ///   - isIncluded: A closure that returns whether to keep the function with a name.
    ///   - read: A closure that returns the bytes at an offset, or fewer at the end of the file.
    init?(isIncluded: (String) -> Bool, read: (_ offset: UInt64, _ count: Int) -> [UInt8]) {
        let header = LittleEndian(read(0, 64))
        guard header.count == 64, header.bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2, 1]),
            let machine = header.u16(18), let segmentOffset = header.u64(32),
            let sectionOffset = header.u64(40), let segmentSize = header.u16(54),
            let segmentCount = header.u16(56), let sectionSize = header.u16(58),
            let sectionCount = header.u16(60), let namesIndex = header.u16(62)
        else { return nil }
        switch machine {
        case 62: self.machine = .x86_64
        case 183: self.machine = .arm64
        default: return nil
        }
        func table(
            _ offset: UInt64,
            _ size: UInt64,
            limit: UInt64 = Self.tableLimit
        ) -> LittleEndian {
            guard size <= limit, offset < 1 << 48 else { return LittleEndian([]) }
            return LittleEndian(read(offset, Int(size)))
        }
        let segments = Self.segments(
            table(segmentOffset, UInt64(segmentSize) * UInt64(segmentCount)),
            entry: Int(segmentSize)
        )
        let sections = Self.sections(
            table(sectionOffset, UInt64(sectionSize) * UInt64(sectionCount)),
            entry: Int(sectionSize)
        )
        var isGo = false
        if Int(namesIndex) < sections.count {
            let names = sections[Int(namesIndex)]
            let texts = table(names.offset, names.size)
            isGo = sections.contains { section in
                [".go.buildinfo", ".gopclntab", ".note.go.buildid"]
                    .contains(texts.string(Int(section.name)) ?? "")
            }
        }
        self.isGo = isGo
        // Type 11 is the dynamic symbol table, and type 2 is the full symbol table. A stripped file
        // has only the dynamic symbol table.
        var rest = Self.symbolLimit
        for section in sections where section.type == 11 || section.type == 2 {
            guard Int(section.link) < sections.count else { continue }
            let names = sections[Int(section.link)]
            guard section.size <= rest, names.size <= rest - section.size else { continue }
            rest -= section.size + names.size
            add(
                table(section.offset, section.size, limit: Self.symbolLimit),
                table(names.offset, names.size, limit: Self.symbolLimit),
                segments,
                isIncluded
            )
        }
    }

    private mutating func add(
        _ symbols: LittleEndian,
        _ names: LittleEndian,
        _ segments: [Segment],
        _ isIncluded: (String) -> Bool
    ) {
        var start = 0
        while start + Self.symbolLength <= symbols.count {
            defer { start += Self.symbolLength }
            // Keep only functions that this file defines.
            guard let name = symbols.u32(start), let info = symbols.u8(start + 4), info & 0xf == 2,
                let section = symbols.u16(start + 6), section != 0,
                let address = symbols.u64(start + 8), let length = symbols.u64(start + 16),
                // Decode only names with this prefix.
                names.hasPrefix("sqlite3", at: Int(name)), let text = names.string(Int(name)),
                isIncluded(text),
                let segment = segments.first(where: {
                    address >= $0.address && address - $0.address < $0.size
                })
            else { continue }
            functions[text] = Function(
                address: address,
                fileOffset: address - segment.address &+ segment.offset,
                length: length
            )
        }
    }

    private static func segments(_ table: LittleEndian, entry: Int) -> [Segment] {
        guard entry >= 56 else { return [] }
        return stride(from: 0, to: table.count, by: entry).compactMap { start in
            // Keep only loaded segments that contain code.
            guard table.u32(start) == 1, let flags = table.u32(start + 4), flags & 1 != 0,
                let offset = table.u64(start + 8), let address = table.u64(start + 16),
                let size = table.u64(start + 32), offset < 1 << 48, size < 1 << 48
            else { return nil }
            return Segment(offset: offset, address: address, size: size)
        }
    }

    private static func sections(_ table: LittleEndian, entry: Int) -> [Section] {
        guard entry >= 64 else { return [] }
        return stride(from: 0, to: table.count, by: entry).compactMap { start in
            guard let name = table.u32(start), let type = table.u32(start + 4),
                let offset = table.u64(start + 24), let size = table.u64(start + 32),
                let link = table.u32(start + 40)
            else { return nil }
            return Section(name: name, type: type, offset: offset, size: size, link: link)
        }
    }
}
