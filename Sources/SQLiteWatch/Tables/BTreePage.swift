/// A page of a b-tree (https://sqlite.org/fileformat2.html, section 1.6).
///
/// Another program may be changing the bytes, so the parser ignores offsets outside the page.
struct BTreePage {
    private let field: ByteField
    private let start: Int
    private let usableSize: Int

    /// Whether the cells point to other pages of the tree.
    let isInterior: Bool
    /// Whether the tree belongs to a table rather than an index.
    let isTable: Bool
    let cellCount: Int

    /// Parses a page, or returns `nil` if it is not a b-tree page.
    ///
    /// The first page starts with the database header. The usable size is the page size, excluding
    /// the reserved bytes.
    init?(_ bytes: [UInt8], number: UInt32, usableSize: Int) {
        field = ByteField(bytes)
        start = number == 1 ? DatabaseHeader.length : 0
        self.usableSize = usableSize
        guard usableSize >= 480, bytes.count >= usableSize, let type = field.byte(start),
            [2, 5, 10, 13].contains(type), let cells = field.big16(start + 3)
        else { return nil }
        isInterior = type == 2 || type == 5
        isTable = type == 5 || type == 13
        self.cellCount = Int(cells)
        // Each cell has a pointer of two bytes and at least four bytes of content.
        guard self.cellCount <= usableSize / 6 else { return nil }
    }

    var children: [UInt32] {
        guard isInterior else { return [] }
        var found: [UInt32] = []
        for cell in 0..<cellCount {
            if let offset = offset(ofCell: cell), let child = field.big32(offset), child > 0 {
                found.append(child)
            }
        }
        if let last = field.big32(start + 8), last > 0 { found.append(last) }
        return found
    }

    /// The first overflow page of each cell whose content does not fit in this page.
    var overflowPages: [UInt32] {
        guard !(isInterior && isTable) else { return [] }
        return (0..<cellCount).compactMap { cell in
            guard let payload = payload(ofCell: cell), payload.local < payload.length else {
                return nil
            }
            return field.big32(payload.offset + payload.local).flatMap { $0 > 0 ? $0 : nil }
        }
    }

    /// Returns the part of a cell's content that this page stores.
    func content(ofCell cell: Int) -> [UInt8]? {
        guard let payload = payload(ofCell: cell) else { return nil }
        return field.bytes(payload.offset..<payload.offset + payload.local)
    }

    /// Returns the offset of a cell's content, its length, and the length of the part in this page.
    func payload(ofCell cell: Int) -> (offset: Int, length: Int, local: Int)? {
        guard var offset = offset(ofCell: cell) else { return nil }
        if isInterior { offset += 4 }
        guard let (length, size) = field.varint(offset), length <= 0x7fff_ffff else { return nil }
        offset += size
        if isTable {
            guard let key = field.varint(offset) else { return nil }
            offset += key.length
        }
        let total = Int(length)
        let largest = isTable ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
        guard total > largest else { return (offset, total, total) }
        let minimum = (usableSize - 12) * 32 / 255 - 23
        let part = minimum + (total - minimum) % (usableSize - 4)
        return (offset, total, part <= largest ? part : minimum)
    }

    private func offset(ofCell cell: Int) -> Int? {
        let pointers = start + (isInterior ? 12 : 8)
        guard let offset = field.big16(pointers + 2 * cell) else { return nil }
        return Int(offset) < usableSize ? Int(offset) : nil
    }
}
