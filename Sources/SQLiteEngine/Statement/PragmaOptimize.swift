/// Recognizes `PRAGMA optimize`.
///
/// `sqlite3_stmt_readonly` calls it read-only, because it runs `ANALYZE` through nested SQL:
/// <https://www.sqlite.org/pragma.html#pragma_optimize>.
enum PragmaOptimize {
    /// Whether the SQL is `PRAGMA optimize`, with or without a schema's name and a mask.
    static func matches(_ sql: UnsafePointer<CChar>?) -> Bool {
        guard let sql else { return false }
        var scanner = Scanner(next: sql)
        guard scanner.word() == "pragma" else { return false }
        var name = scanner.word()
        if scanner.takes(UInt8(ascii: ".")) { name = scanner.word() }
        return name == "optimize"
    }

    private struct Scanner {
        var next: UnsafePointer<CChar>

        private var byte: UInt8 { UInt8(bitPattern: next.pointee) }

        mutating func takes(_ character: UInt8) -> Bool {
            skipSpace()
            guard byte == character else { return false }
            next += 1
            return true
        }

        /// The next identifier in lower case, quoted or not; empty when there is none.
        mutating func word() -> String {
            skipSpace()
            let quotes: [UInt8: UInt8] = [
                UInt8(ascii: "\""): UInt8(ascii: "\""),
                UInt8(ascii: "'"): UInt8(ascii: "'"),
                UInt8(ascii: "`"): UInt8(ascii: "`"),
                UInt8(ascii: "["): UInt8(ascii: "]"),
            ]
            let end = quotes[byte]
            if end != nil { next += 1 }
            var word: [UInt8] = []
            while byte != 0 {
                if let end {
                    if byte == end { break }
                } else if !isIdentifier(byte) {
                    break
                }
                word.append(byte)
                next += 1
            }
            if end != nil, byte == end { next += 1 }
            return String(decoding: word, as: UTF8.self).lowercased()
        }

        private func isIdentifier(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }

        private mutating func skipSpace() {
            while byte != 0 {
                if byte == 0x20 || (0x09...0x0D).contains(byte) || byte == UInt8(ascii: ";") {
                    next += 1
                } else if byte == UInt8(ascii: "-"), next[1] == CChar(bitPattern: byte) {
                    while byte != 0, byte != 0x0A { next += 1 }
                } else if byte == UInt8(ascii: "/"), UInt8(bitPattern: next[1]) == UInt8(ascii: "*")
                {
                    next += 2
                    while byte != 0 {
                        if byte == UInt8(ascii: "*"),
                            UInt8(bitPattern: next[1]) == UInt8(ascii: "/")
                        {
                            next += 2
                            break
                        }
                        next += 1
                    }
                } else {
                    return
                }
            }
        }
    }
}
