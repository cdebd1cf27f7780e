/// A type that maps the pages of a database to tables and indexes.
struct PageMap: Sendable {
    /// The owner of a page: a b-tree, or a use outside the b-trees.
    struct Owner: Equatable, Hashable, Sendable {
        fileprivate var code: UInt16

        static let unknown = Owner(code: 0)
        static let schema = Owner(code: 1)
        static let free = Owner(code: 2)
        static let pointerMap = Owner(code: 3)

        /// The index of the b-tree in ``PageMap/entries``, or `nil` for any other use.
        var entry: Int? { code >= 4 ? Int(code) - 4 : nil }

        init(entry: Int) { code = UInt16(entry + 4) }
        fileprivate init(code: UInt16) { self.code = code }
    }

    /// The b-trees, in schema order.
    private(set) var entries: [SchemaEntry]
    private var codes: [UInt16] = []

    /// The maximum number of pages in a map.
    ///
    /// A map uses two bytes per page.
    static let pageLimit = 1 << 24
    static let entryLimit = 20_000
    private static let overflow: UInt16 = 0x8000

    init(entries: [SchemaEntry], pages: UInt32) {
        self.entries = Array(entries.prefix(Self.entryLimit))
        codes = [UInt16](repeating: 0, count: min(Int(pages) + 1, Self.pageLimit))
        set(.schema, of: 1)
        for (number, entry) in self.entries.enumerated() {
            set(Owner(entry: number), of: entry.root)
        }
    }

    func owner(of page: UInt32) -> Owner {
        guard Int(page) < codes.count else { return .unknown }
        return Owner(code: codes[Int(page)] & ~Self.overflow)
    }

    func isOverflow(_ page: UInt32) -> Bool {
        Int(page) < codes.count && codes[Int(page)] & Self.overflow != 0
    }

    /// Sets the owner of a page.
    ///
    /// Pages beyond the limit remain unknown.
    mutating func set(_ owner: Owner, of page: UInt32, isOverflow: Bool = false) {
        let index = Int(page)
        guard index > 0, index < Self.pageLimit else { return }
        if index >= codes.count {
            let room = min(max(index + 1, codes.count * 3 / 2), Self.pageLimit)
            codes += [UInt16](repeating: 0, count: room - codes.count)
        }
        codes[index] = owner.code | (isOverflow ? Self.overflow : 0)
    }
}

extension PageMap {
    struct Limits {
        /// The maximum number of pages to read.
        var pages = 200_000
        /// A closure that returns whether to continue.
        ///
        /// The walk calls the closure before reading each page.
        var mayContinue: () -> Bool = { true }
    }

    /// Builds a map from the schema and the interior pages of all b-trees.
    ///
    /// All pages on a level of a b-tree are of the same kind, so the walk reads only one leaf below
    /// each parent of leaves. Overflow pages remain unknown until they are written.
    ///
    /// - Parameters:
    ///   - pages: The number of pages in the database.
    ///   - usableSize: The page size, excluding the reserved bytes.
    ///   - limits: The limits of the walk.
    ///   - read: A closure that returns the bytes of a page, or `nil` if they cannot be read.
    /// - Returns: The map and whether the walk is complete, or `nil` if there is no schema.
    static func walk(
        pages: UInt32,
        usableSize: Int,
        limits: Limits,
        read: (UInt32) -> [UInt8]?
    ) -> (map: PageMap, isComplete: Bool)? {
        var remainingPages = limits.pages
        func page(_ number: UInt32) -> BTreePage? {
            guard number > 0, number <= pages, remainingPages > 0, limits.mayContinue() else {
                return nil
            }
            remainingPages -= 1
            return read(number).flatMap { BTreePage($0, number: number, usableSize: usableSize) }
        }
        var schemaPages: [UInt32] = []
        var entries: [SchemaEntry] = []
        var queue: [UInt32] = [1]
        var seen: Set<UInt32> = [1]
        while let number = queue.popLast(), entries.count < entryLimit {
            guard let page = page(number), page.isTable else { continue }
            schemaPages.append(number)
            for child in page.children where seen.insert(child).inserted { queue.append(child) }
            guard !page.isInterior else { continue }
            for cell in 0..<page.cellCount {
                if let entry = page.content(ofCell: cell).flatMap(SchemaEntry.init) {
                    entries.append(entry)
                }
            }
        }
        guard !schemaPages.isEmpty else { return nil }
        var map = PageMap(entries: entries, pages: pages)
        for number in schemaPages { map.set(.schema, of: number) }
        for (number, entry) in map.entries.enumerated() {
            var level = [entry.root]
            // A damaged tree may contain a cycle. Valid trees have fewer levels than this limit.
            for _ in 0..<20 {
                var next: [UInt32] = []
                for parent in level {
                    guard let children = page(parent)?.children, let first = children.first else {
                        continue
                    }
                    for child in children { map.set(Owner(entry: number), of: child) }
                    if page(first)?.isInterior == true { next += children }
                }
                if next.isEmpty || remainingPages <= 0 { break }
                level = next
            }
        }
        return (map, remainingPages > 0 && limits.mayContinue())
    }
}

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

/// A tally that counts the frames of a log by table and index.
struct FrameTally: Sendable {
    struct Frame: Sendable {
        var page: UInt32
        var bytes: [UInt8]
    }

    private(set) var counts: [PageMap.Owner: UInt64] = [:]

    /// Counts the frames of one transaction, and derives the owners of new pages from them.
    ///
    /// A new page of a table is either a child of an interior page or an overflow page of a cell.
    /// The same transaction writes that interior page or cell. A transaction with only one frame
    /// therefore adds no pages to the map.
    ///
    /// - Parameters:
    ///   - frames: The frames of the transaction, in order.
    ///   - map: The map, to which the method adds new pages.
    ///   - usableSize: The page size, excluding the reserved bytes.
    mutating func add(_ frames: [Frame], map: inout PageMap, usableSize: Int) {
        if frames.count > 1 {
            var last: [UInt32: Int] = [:]
            for (number, frame) in frames.enumerated() { last[frame.page] = number }
            updateMap(frames, last: last, map: &map, usableSize: usableSize)
        }
        for frame in frames { counts[map.owner(of: frame.page), default: 0] += 1 }
    }

    /// Adds the new pages of a transaction to the map.
    ///
    /// The keys of `last` are the transaction's pages. The values are the indices of their last
    /// frames.
    private func updateMap(
        _ frames: [Frame],
        last: [UInt32: Int],
        map: inout PageMap,
        usableSize: Int
    ) {
        // Mark the free pages first. The code below reassigns pages that this transaction reuses.
        if let number = last[1] {
            var trunk = ByteField(frames[number].bytes).big32(32)
            for _ in 0..<frames.count {
                guard let page = trunk, page > 0, let number = last[page] else { break }
                map.set(.free, of: page)
                trunk = ByteField(frames[number].bytes).big32(0)
            }
        }
        var queue = Array(last.keys)
        var visits = 0
        // The loop revisits a page when its owner becomes known, at most once per parent.
        while let page = queue.popLast(), visits < 4 * frames.count + 16 {
            visits += 1
            let owner = map.owner(of: page)
            guard owner != .unknown, owner != .free, let number = last[page] else { continue }
            if map.isOverflow(page) {
                let next = ByteField(frames[number].bytes).big32(0) ?? 0
                queue += assign([next], owner: owner, isOverflow: true, last: last, map: &map)
                continue
            }
            guard
                let tree = BTreePage(frames[number].bytes, number: page, usableSize: usableSize)
            else { continue }
            queue += assign(tree.children, owner: owner, isOverflow: false, last: last, map: &map)
            queue += assign(
                tree.overflowPages,
                owner: owner,
                isOverflow: true,
                last: last,
                map: &map
            )
        }
    }

    /// Assigns pages to an owner and returns the pages of this transaction whose owner changed.
    private func assign(
        _ pages: [UInt32],
        owner: PageMap.Owner,
        isOverflow: Bool,
        last: [UInt32: Int],
        map: inout PageMap
    ) -> [UInt32] {
        pages.filter { page in
            guard page > 0, map.owner(of: page) != owner || map.isOverflow(page) != isOverflow
            else { return false }
            map.set(owner, of: page, isOverflow: isOverflow)
            return last[page] != nil
        }
    }
}

/// A b-tree in the schema: a row of `sqlite_schema` with a root page.
struct SchemaEntry: Equatable, Sendable {
    var isIndex: Bool
    var name: String
    var root: UInt32

    /// The maximum length of a name, in bytes.
    private static let nameLimit = 256

    /// Parses the start of a row's record (https://sqlite.org/fileformat2.html, section 2.1), or
    /// returns `nil` if the row has no root page or is malformed.
    init?(_ record: [UInt8]) {
        let field = ByteField(record)
        guard let (headerLength, first) = field.varint(0), headerLength <= 64 else { return nil }
        var offset = first
        var types: [UInt64] = []
        while offset < Int(headerLength), types.count < 5 {
            guard let (type, length) = field.varint(offset) else { return nil }
            types.append(type)
            offset += length
        }
        guard types.count == 5 else { return nil }
        var place = Int(headerLength)
        var values: [[UInt8]] = []
        // Read type, name, tbl_name, and rootpage. The SQL text after them is not needed.
        for type in types.prefix(4) {
            guard let length = Self.length(of: type), length <= record.count,
                let value = field.bytes(place..<place + length)
            else { return nil }
            values.append(value)
            place += length
        }
        let root =
            types[3] == 9
            ? 1 : types[3] == 8 ? 0 : values[3].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let root = UInt32(exactly: root), root > 0 else { return nil }
        let kind = String(decoding: values[0], as: UTF8.self).filter { $0 != "\0" }
        guard kind == "table" || kind == "index" else { return nil }
        isIndex = kind == "index"
        name = String(decoding: values[1].prefix(Self.nameLimit), as: UTF8.self)
        self.root = root
    }

    private static func length(of type: UInt64) -> Int? {
        switch type {
        case 0, 8, 9: 0
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        case 10, 11: nil
        default: type > 1 << 24 ? nil : Int((type - 12) / 2)
        }
    }
}
