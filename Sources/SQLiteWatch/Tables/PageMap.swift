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
