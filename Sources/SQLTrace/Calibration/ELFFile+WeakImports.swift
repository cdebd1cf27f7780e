extension ELFFile {
    /// A copy of a library that loads without the libraries which define its imports.
    ///
    /// A module of Python with SQLite inside imports functions of the interpreter. Weak imports
    /// without a definition have the address 0; calibration does not call them.
    static func withWeakImports(_ content: [UInt8]) -> [UInt8] {
        let file = LittleEndian(content)
        guard let offset = file.u64(40), let size = file.u16(58), let count = file.u16(60),
            size >= 64
        else { return content }
        var changed = content
        for number in 0..<UInt64(count) {
            guard let section = Int(exactly: offset &+ number &* UInt64(size)),
                section <= content.count, file.u32(section + 4) == 11,
                let start = file.u64(section + 24).flatMap(Int.init(exactly:)),
                let length = file.u64(section + 32).flatMap(Int.init(exactly:)),
                start <= content.count, length <= content.count - start
            else { continue }
            for symbol in stride(from: start, to: start + length - 23, by: 24)
            // A global symbol (1) that this file does not define becomes a weak one (2).
            where file.u16(symbol + 6) == 0 && content[symbol + 4] >> 4 == 1 {
                changed[symbol + 4] = content[symbol + 4] & 0xf | 0x20
            }
        }
        return changed
    }
}
