/// The pointers in the data of a file, as the dynamic loader sets them.
///
/// In a file that may be loaded at any address, relocations specify the pointers. In a file at a
/// fixed address, the data contains them.
struct ELFPointers {
    let file: ELFFile
    let bytes: FileBytes

    /// The maximum size of a relocation table and of the scanned parts of the file, in bytes.
    static let limit: UInt64 = 1 << 29
    /// The maximum number of pointers in compact relocation tables.
    private static let compactLimit = 1 << 24

    /// The tags of the dynamic table.
    private enum Tag {
        static let symbols: UInt64 = 6
        static let relocations: UInt64 = 7
        static let relocationsSize: UInt64 = 8
        static let jumpsSize: UInt64 = 2
        static let jumps: UInt64 = 23
        static let compactSize: UInt64 = 35
        static let compact: UInt64 = 36
    }

    /// Calls a closure with the address and the value of each pointer whose value or address may be
    /// of interest.
    ///
    /// - Parameters:
    ///   - addresses: The addresses of interest.
    ///   - values: The values of interest.
    ///   - body: A closure that receives the address and the value of a pointer. The pointer may be
    ///     one of no interest.
    func visit(
        in addresses: Range<UInt64> = 0..<0,
        to values: ClosedRange<UInt64>? = nil,
        _ body: (_ address: UInt64, _ value: UInt64) -> Void
    ) {
        if file.isFixed {
            if let values { scan(for: values, body) }
            for address in stride(from: addresses.lowerBound, to: addresses.upperBound, by: 8) {
                if let value = value(at: address) { body(address, value) }
            }
        } else {
            relocate(body)
            relocateCompact(body)
        }
    }

    /// Returns the 8 bytes at an address.
    private func value(at address: UInt64) -> UInt64? {
        file.fileOffset(of: address).flatMap(bytes.u64)
    }

    /// Searches all segments, because some linkers place constants next to code.
    private func scan(
        for values: ClosedRange<UInt64>,
        _ body: (_ address: UInt64, _ value: UInt64) -> Void
    ) {
        let (lowest, highest) = (values.lowerBound, values.upperBound)
        var rest = Self.limit
        for segment in file.segments {
            // Pointers are aligned in memory, and pages are aligned in the same way in the file.
            let padding = (8 - segment.address % 8) % 8
            guard segment.size > padding, segment.size <= rest else { continue }
            rest -= segment.size
            let start = segment.offset + padding
            bytes.scan(start..<(segment.offset + segment.size)) { chunk, offset in
                let address = segment.address &+ (offset - segment.offset)
                var index = 0
                while index <= chunk.count - 8 {
                    let value = chunk.integer(index, UInt64.self)
                    if value >= lowest, value <= highest {
                        body(address &+ UInt64(index), value)
                    }
                    index &+= 8
                }
                return true
            }
        }
    }

    /// Reads the relocations that set pointers.
    private func relocate(_ body: (_ address: UInt64, _ value: UInt64) -> Void) {
        // R_RELATIVE, R_64, and R_GLOB_DAT.
        let (relative, absolute, global): (UInt64, UInt64, UInt64) =
            switch file.machine {
            case .x86_64: (8, 1, 6)
            case .arm64: (1_027, 257, 1_025)
            }
        readRelocations(Tag.relocations, size: Tag.relocationsSize) {
            address,
            information,
            addend in
            let type = information & 0xffff_ffff
            if type == relative {
                body(address, addend)
            } else if type == absolute || type == global, let value = symbol(information >> 32) {
                body(address, value &+ addend)
            }
        }
    }

    /// Returns the numbers of the dynamic symbols to which relocations refer.
    func usedSymbols() -> Set<UInt32> {
        var numbers: Set<UInt32> = []
        for (start, size) in [
            (Tag.relocations, Tag.relocationsSize), (Tag.jumps, Tag.jumpsSize),
        ] {
            readRelocations(start, size: size) { _, information, _ in
                if information >> 32 != 0 { numbers.insert(UInt32(information >> 32)) }
            }
        }
        return numbers
    }

    /// Reads a table of relocations with addends.
    private func readRelocations(
        _ start: UInt64,
        size: UInt64,
        _ body: (_ address: UInt64, _ information: UInt64, _ addend: UInt64) -> Void
    ) {
        guard let start = file.dynamic[start].flatMap({ file.fileOffset(of: $0) }),
            let size = file.dynamic[size], size <= Self.limit
        else { return }
        // A chunk contains a multiple of 24 bytes only with an overlap, so keep the offset of the
        // next relocation.
        var next = start
        bytes.scan(start..<(start + size), overlap: 24) { chunk, offset in
            var index = Int(next - offset)
            while index <= chunk.count - 24 {
                body(
                    chunk.integer(index, UInt64.self),
                    chunk.integer(index + 8, UInt64.self),
                    chunk.integer(index + 16, UInt64.self)
                )
                index += 24
            }
            next = offset + UInt64(index)
            return true
        }
    }

    /// Returns the address of a symbol that the file defines.
    private func symbol(_ number: UInt64) -> UInt64? {
        guard let table = file.dynamic[Tag.symbols].flatMap(file.fileOffset) else { return nil }
        let length = ELFFile.symbolLength
        let symbol = LittleEndian(
            bytes.bytes(at: table + number * UInt64(length), count: length)
        )
        guard let section = symbol.u16(6), section != 0 else { return nil }
        return symbol.u64(8)
    }

    /// Reads the compact relocations (DT_RELR), each of which is an address or a map of the 63
    /// words that follow the previous words.
    private func relocateCompact(_ body: (_ address: UInt64, _ value: UInt64) -> Void) {
        guard let start = file.dynamic[Tag.compact].flatMap(file.fileOffset),
            let size = file.dynamic[Tag.compactSize]
        else { return }
        let table = bytes.table(at: start, size: size, limit: 1 << 24)
        var rest = Self.compactLimit
        var address: UInt64 = 0
        func add(_ address: UInt64) {
            rest -= 1
            if let value = value(at: address) { body(address, value) }
        }
        for index in stride(from: 0, to: table.count, by: 8) {
            guard let entry = table.u64(index), rest > 0 else { return }
            guard entry & 1 == 1 else {
                add(entry)
                address = entry &+ 8
                continue
            }
            var map = entry >> 1
            while map != 0 {
                add(address &+ UInt64(8 * map.trailingZeroBitCount))
                map &= map - 1
            }
            address &+= 63 * 8
        }
    }
}
