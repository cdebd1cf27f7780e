extension ELFFile {
    /// Returns a copy of a library or program that can be loaded as a library, even if the
    /// libraries that define its imports are missing.
    ///
    /// For example, a Python module that contains SQLite imports functions of the interpreter. The
    /// copy imports these functions weakly. If a function is undefined, its address is 0, and
    /// calibration does not call it. A position-independent program differs from a library in only
    /// one flag, which is cleared in the copy.
    static func loadable(_ content: [UInt8]) -> [UInt8] {
        let file = LittleEndian(content)
        guard let offset = file.u64(40), let size = file.u16(58), let count = file.u16(60),
            size >= 64
        else { return content }
        var changed = content
        for number in 0..<UInt64(count) {
            guard let section = Int(exactly: offset &+ number &* UInt64(size)),
                section <= content.count, let type = file.u32(section + 4), type == 11 || type == 6,
                let start = file.u64(section + 24).flatMap(Int.init(exactly:)),
                let length = file.u64(section + 32).flatMap(Int.init(exactly:)),
                start <= content.count, length <= content.count - start
            else { continue }
            if type == 6 {
                clearProgramFlag(of: &changed, in: start..<(start + length))
                continue
            }
            for symbol in stride(from: start, to: start + length - 23, by: 24)
            // Make each undefined global symbol (1) weak (2).
            where file.u16(symbol + 6) == 0 && content[symbol + 4] >> 4 == 1 {
                changed[symbol + 4] = content[symbol + 4] & 0xf | 0x20
            }
        }
        return changed
    }

    /// Clears the DF_1_PIE flag (0x0800_0000), which `dlopen` rejects, in DT_FLAGS_1 (0x6fff_fffb).
    private static func clearProgramFlag(of content: inout [UInt8], in section: Range<Int>) {
        let file = LittleEndian(content)
        for entry in stride(from: section.lowerBound, to: section.upperBound - 15, by: 16)
        where file.u64(entry) == 0x6fff_fffb {
            content[entry + 11] &= ~0x08
        }
    }
}
