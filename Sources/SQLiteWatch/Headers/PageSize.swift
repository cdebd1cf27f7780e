/// The page sizes that SQLite accepts, which are powers of two from 512 to 65,536.
enum PageSize {
    /// Returns the page size in a 16-bit header field, where 1 means 65,536, or `nil` if it is
    /// invalid.
    static func size(_ field: UInt16) -> Int? { valid(field == 1 ? 65_536 : UInt32(field)) }

    /// Returns the size if SQLite accepts it, or `nil` otherwise.
    static func valid(_ size: UInt32) -> Int? {
        guard (512...65_536).contains(size), size.nonzeroBitCount == 1 else { return nil }
        return Int(size)
    }
}
