/// Page sizes that SQLite accepts: powers of two from 512 to 65,536.
enum PageSize {
    /// The size that a 16-bit field of a header denotes, where 1 stands for 65,536; nil when no
    /// database has it.
    static func size(_ field: UInt16) -> Int? { valid(field == 1 ? 65_536 : UInt32(field)) }

    /// A size when it is one that SQLite accepts.
    static func valid(_ size: UInt32) -> Int? {
        guard (512...65_536).contains(size), size.nonzeroBitCount == 1 else { return nil }
        return Int(size)
    }
}
