/// The order in which the entries of a cache were last used.
///
/// The list is a doubly linked list of indexes into the storage of the cache. Every operation takes
/// constant time. Once the list has reached its largest size, operations do not allocate memory.
struct RecencyList {
    private struct Links {
        /// The index that was used immediately after this one, or ``none``.
        var newer: Int
        /// The index that was used immediately before this one, or ``none``.
        var older: Int
    }

    private static let none = -1

    private var links: [Links] = []
    private var free: [Int] = []
    private var newest = none
    private var oldest = none

    /// The least recently used index, or `nil` if the list is empty.
    var leastRecent: Int? { oldest == Self.none ? nil : oldest }

    /// Adds an index and marks it as used now.
    ///
    /// - Returns: A removed index, if there is one, or the smallest unused index.
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

    /// Marks an index as used now.
    @inline(__always)
    mutating func use(_ index: Int) {
        if index != newest { moveToNewest(index) }
    }

    /// Removes an index.
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
