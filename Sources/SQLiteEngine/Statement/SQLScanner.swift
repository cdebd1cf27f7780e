/// A scanner for the words at the start of an SQL statement.
struct SQLScanner {
    private var next: UnsafePointer<CChar>

    /// Creates a scanner at the start of a C string, which must outlive the scanner.
    init(_ sql: UnsafePointer<CChar>) { next = sql }

    private var byte: UInt8 { UInt8(bitPattern: next.pointee) }

    /// Skips white space, comments, and semicolons, and then the given character if it comes next.
    ///
    /// - Returns: Whether the character was skipped.
    mutating func skip(_ character: UInt8) -> Bool {
        skipSpace()
        guard byte == character else { return false }
        next += 1
        return true
    }

    /// Whether only white space, comments, and semicolons remain.
    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return byte == 0
        }
    }

    /// Skips a keyword if it is the next word, without allocating memory.
    ///
    /// - Parameter keyword: The keyword in lowercase.
    /// - Returns: Whether the keyword was skipped.
    mutating func skip(keyword: StaticString) -> Bool {
        skipSpace()
        let count = keyword.utf8CodeUnitCount
        for index in 0..<count
        where UInt8(bitPattern: next[index]).asciiLowercase != keyword.utf8Start[index] {
            return false
        }
        guard !isIdentifierCharacter(UInt8(bitPattern: next[count])) else { return false }
        next += count
        return true
    }

    /// Reads the next identifier, quoted or not.
    ///
    /// - Returns: The identifier, or an empty string if there is none.
    mutating func readName() -> String {
        skipSpace()
        let end = closingQuote(of: byte)
        if end != nil { next += 1 }
        var name: [UInt8] = []
        while byte != 0 {
            if let end {
                if byte == end {
                    next += 1
                    // Two closing quotes in a row represent one quote in the name.
                    guard byte == end, end != UInt8(ascii: "]") else { break }
                }
            } else if !isIdentifierCharacter(byte) {
                break
            }
            name.append(byte)
            next += 1
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Reads the next identifier in lowercase.
    mutating func readWord() -> String { readName().lowercased() }

    private func closingQuote(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): byte
        case UInt8(ascii: "["): UInt8(ascii: "]")
        default: nil
        }
    }

    private func isIdentifierCharacter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private mutating func skipSpace() {
        while byte != 0 {
            if byte == 0x20 || (0x09...0x0D).contains(byte) || byte == UInt8(ascii: ";") {
                next += 1
            } else if byte == UInt8(ascii: "-"), next[1] == next[0] {
                while byte != 0, byte != 0x0A { next += 1 }
            } else if byte == UInt8(ascii: "/"), next[1] == CChar(UInt8(ascii: "*")) {
                skipComment()
            } else {
                return
            }
        }
    }

    private mutating func skipComment() {
        next += 2
        while byte != 0 {
            if byte == UInt8(ascii: "*"), next[1] == CChar(UInt8(ascii: "/")) {
                next += 2
                return
            }
            next += 1
        }
    }
}
