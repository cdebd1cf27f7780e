/// The parts of a 64-bit little-endian ELF file that probes require: the function symbols, the
/// segments, and the dynamic table (System V ABI, "Object files").
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

    /// A part of the file that is loaded into memory.
    struct Segment: Sendable, Equatable {
        var offset: UInt64
        var address: UInt64
        /// The number of bytes in the file.
        var size: UInt64
        var isCode: Bool
        var isWritable: Bool
    }

    let machine: Machine
    /// Whether the file is loaded at the addresses that it specifies.
    let isFixed: Bool
    /// The offset and size of the path of the dynamic loader that starts the program, or `nil` if the
    /// file is no program or linked statically.
    private var interpreterRange: (offset: UInt64, size: UInt64)?
    /// Whether the file is a program that the dynamic loader starts.
    var hasInterpreter: Bool { interpreterRange != nil }
    /// Whether the file is a program and not a library.
    ///
    /// DF_1_PIE (0x0800_0000) in DT_FLAGS_1 (0x6fff_fffb) denotes a program.
    var isProgram: Bool {
        isFixed || hasInterpreter || (dynamic[0x6fff_fffb] ?? 0) & 0x0800_0000 != 0
    }
    /// The address of the program's first instruction.
    let entry: UInt64
    /// Whether the file is a Go program.
    ///
    /// Return probes must not be used in a Go program, because they modify the stack, which Go's
    /// runtime unwinds.
    private(set) var isGo = false
    private(set) var segments: [Segment] = []
    /// The entries of the dynamic table, and their offsets in the file.
    private(set) var dynamicEntries: [(tag: UInt64, value: UInt64, offset: UInt64)] = []
    /// The values of the dynamic table, by tag.
    private(set) var dynamic: [UInt64: UInt64] = [:]
    var functions: [String: Function] = [:]

    /// The maximum total size of the symbol and name tables, in bytes.
    private static let symbolLimit: UInt64 = 1 << 27
    /// The maximum size of any other table, in bytes.
    private static let tableLimit: UInt64 = 1 << 22
    static let symbolLength = 24
    private static let goText = [0xff] + Array(" Go buildinf:".utf8)

    private struct Section {
        var name: UInt32
        var type: UInt32
        var offset: UInt64
        var size: UInt64
        var link: UInt32
    }

    /// Reads the functions with the requested names, or returns `nil` if the file is not a
    /// supported ELF file.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - isIncluded: A closure that returns whether to keep the function with a name.
    init?(_ bytes: FileBytes, isIncluded: (String) -> Bool) {
        let header = bytes.table(at: 0, size: 64, limit: 64)
        guard header.count == 64, header.bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2, 1]),
            let type = header.u16(16), let machine = header.u16(18), let entry = header.u64(24),
            let segmentOffset = header.u64(32), let sectionOffset = header.u64(40),
            let segmentSize = header.u16(54), let segmentCount = header.u16(56),
            let sectionSize = header.u16(58), let sectionCount = header.u16(60),
            let namesIndex = header.u16(62)
        else { return nil }
        switch machine {
        case 62: self.machine = .x86_64
        case 183: self.machine = .arm64
        default: return nil
        }
        isFixed = type == 2
        self.entry = entry
        func table(_ offset: UInt64, _ size: UInt64) -> LittleEndian {
            bytes.table(at: offset, size: size, limit: Self.tableLimit)
        }
        addSegments(
            table(segmentOffset, UInt64(segmentSize) * UInt64(segmentCount)),
            entry: Int(segmentSize),
            bytes: bytes
        )
        let sections = Self.sections(
            table(sectionOffset, UInt64(sectionSize) * UInt64(sectionCount)),
            entry: Int(sectionSize)
        )
        let hasNames = Int(namesIndex) < sections.count
        let names = hasNames ? sections[Int(namesIndex)] : nil
        let texts = names.map { table($0.offset, $0.size) } ?? LittleEndian([])
        // Without names of sections, search for the text that Go's linker writes
        // (debug/buildinfo).
        isGo =
            texts.count == 0
            ? contains(Self.goText, in: bytes, where: \.isWritable)
            : sections.contains { section in
                [".go.buildinfo", ".gopclntab", ".note.go.buildid"]
                    .contains(texts.string(Int(section.name)) ?? "")
            }
        // Type 11 is the dynamic symbol table, and type 2 is the full symbol table. A stripped file
        // has only the dynamic symbol table.
        var rest = Self.symbolLimit
        for section in sections where section.type == 11 || section.type == 2 {
            guard Int(section.link) < sections.count else { continue }
            let names = sections[Int(section.link)]
            guard section.size <= rest, names.size <= rest - section.size else { continue }
            rest -= section.size + names.size
            add(
                bytes.table(at: section.offset, size: section.size, limit: Self.symbolLimit),
                names: bytes.table(at: names.offset, size: names.size, limit: Self.symbolLimit),
                isIncluded
            )
        }
    }

    /// Returns the file offset of an address, or `nil` if the file does not contain its bytes.
    func fileOffset(of address: UInt64) -> UInt64? { fileOffset(of: address) { _ in true } }

    /// Returns the function at an address, or `nil` if the address is not in code.
    func function(at address: UInt64, length: UInt64 = 0) -> Function? {
        fileOffset(of: address, where: \.isCode)
            .map { Function(address: address, fileOffset: $0, length: length) }
    }

    /// Returns whether segments contain a text.
    func contains(
        _ text: [UInt8],
        in bytes: FileBytes,
        where isIncluded: (Segment) -> Bool = { _ in true }
    ) -> Bool {
        var isFound = false
        var rest = ELFPointers.limit
        for segment in segments where isIncluded(segment) && segment.size <= rest && !isFound {
            rest -= segment.size
            let range = segment.offset..<(segment.offset + segment.size)
            bytes.scan(range, overlap: UInt64(text.count)) { chunk, _ in
                isFound = chunk.contains(text)
                return !isFound
            }
        }
        return isFound
    }

    private func fileOffset(of address: UInt64, where isIncluded: (Segment) -> Bool) -> UInt64? {
        for segment in segments where isIncluded(segment) && address >= segment.address {
            let distance = address - segment.address
            if distance < segment.size { return segment.offset + distance }
        }
        return nil
    }

    private mutating func add(
        _ symbols: LittleEndian,
        names: LittleEndian,
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
                isIncluded(text), let function = function(at: address, length: length)
            else { continue }
            functions[text] = function
        }
    }

    /// Returns the path of the dynamic loader that starts the program, or `nil` if there is none.
    func interpreter(_ bytes: FileBytes) -> String? {
        guard let (offset, size) = interpreterRange else { return nil }
        let path = bytes.table(at: offset, size: size, limit: Self.tableLimit).bytes
        return String(decoding: path.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Returns whether the program exports or imports a symbol with this name.
    func hasDynamicName(_ name: String, in bytes: FileBytes) -> Bool {
        // DT_STRTAB and DT_STRSZ
        guard let address = dynamic[5], let size = dynamic[10],
            let offset = fileOffset(of: address)
        else { return false }
        let names = bytes.table(at: offset, size: size, limit: Self.symbolLimit).bytes
        return names.split(separator: 0).contains { $0.elementsEqual(name.utf8) }
    }

    private mutating func addSegments(_ table: LittleEndian, entry: Int, bytes: FileBytes) {
        guard entry >= 56 else { return }
        for start in stride(from: 0, to: table.count, by: entry) {
            guard let type = table.u32(start), let flags = table.u32(start + 4),
                let offset = table.u64(start + 8), let address = table.u64(start + 16),
                let size = table.u64(start + 32), offset < 1 << 48, size < 1 << 48
            else { continue }
            switch type {
            case 1:
                segments.append(
                    Segment(
                        offset: offset,
                        address: address,
                        size: size,
                        isCode: flags & 1 != 0,
                        isWritable: flags & 2 != 0
                    )
                )
            case 2:
                let entries = bytes.table(at: offset, size: size, limit: Self.tableLimit)
                for entry in stride(from: 0, to: entries.count, by: 16) {
                    guard let tag = entries.u64(entry), let value = entries.u64(entry + 8),
                        tag != 0
                    else { break }
                    dynamic[tag] = value
                    dynamicEntries.append((tag, value, offset + UInt64(entry)))
                }
            case 3: interpreterRange = (offset, size)
            default: break
            }
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
