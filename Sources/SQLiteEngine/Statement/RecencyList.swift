/// The order in which a cache last used its entries.
///
/// The list is a doubly linked list of indexes into the cache's storage. Every operation takes
/// constant time. Operations allocate memory only when the list exceeds its largest previous size.
struct RecencyList {
    private struct Links {
        /// The next more recently used index, or ``none``.
        var newer: Int
        /// The next less recently used index, or ``none``.
        var older: Int
    }

    private static let none = -1

    private var links: [Links] = []
    private var free: [Int] = []
    private var newest = none
    private var oldest = none

    var leastRecent: Int? { oldest == Self.none ? nil : oldest }

    /// Adds an index as the most recently used.
    ///
    /// - Returns: A previously removed index, if any, or the smallest unused index.
    mutating func insert() -> Int {
        let index: Int
        if let reused = free.popLast() {
            index = reused
        } else {
            index = links.count
            links.append(Links(newer: Self.none, older: Self.none))
        }
        linkAsNewest(index)
        return index
    }

    /// Marks an index as the most recently used.
    @inline(__always)
    mutating func use(_ index: Int) {
        if index != newest { moveToNewest(index) }
    }

    mutating func remove(_ index: Int) {
        unlink(index)
        free.append(index)
    }

    @inline(never)
    private mutating func moveToNewest(_ index: Int) {
        unlink(index)
        linkAsNewest(index)
    }

    private mutating func linkAsNewest(_ index: Int) {
        links[index] = Links(newer: Self.none, older: newest)
        if newest == Self.none { oldest = index } else { links[newest].newer = index }
        newest = index
    }

    private mutating func unlink(_ index: Int) {
        let link = links[index]
        if link.newer == Self.none {
            newest = link.older
        } else {
            links[link.newer].older = link.older
        }
        if link.older == Self.none {
            oldest = link.newer
        } else {
            links[link.older].newer = link.newer
        }
    }
}
