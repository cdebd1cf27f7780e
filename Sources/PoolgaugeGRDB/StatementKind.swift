#if GRDB
/// The effect of a statement on the connection's transaction, according to its first word.
enum StatementKind: Sendable {
    case begin
    case commit
    case rollback
    case other

    init(_ sql: UnsafePointer<CChar>) {
        var start = sql
        while [0x09, 0x0A, 0x0D, 0x20].contains(start.pointee) { start += 1 }
        // Bit 5 distinguishes lowercase from uppercase letters.
        switch UInt8(bitPattern: start.pointee) | 0x20 {
        case UInt8(ascii: "b"): self = Self.has("begin", at: start) ? .begin : .other
        case UInt8(ascii: "s"): self = Self.has("savepoint", at: start) ? .begin : .other
        case UInt8(ascii: "c"): self = Self.has("commit", at: start) ? .commit : .other
        case UInt8(ascii: "e"): self = Self.has("end", at: start) ? .commit : .other
        case UInt8(ascii: "r"):
            self =
                Self.has("release", at: start)
                ? .commit : Self.has("rollback", at: start) ? .rollback : .other
        default: self = .other
        }
    }

    private static func has(_ word: StaticString, at start: UnsafePointer<CChar>) -> Bool {
        for index in 0..<word.utf8CodeUnitCount
        where UInt8(bitPattern: start[index]) | 0x20 != word.utf8Start[index] {
            return false
        }
        return true
    }
}
#endif
