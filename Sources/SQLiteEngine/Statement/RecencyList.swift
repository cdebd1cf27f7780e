/// The order in which the entries of a cache were last used.
///
/// The list is a doubly linked list of places, which are indices in the storage of the cache. Every
/// operation takes constant time. Once the list has reached its largest size, operations do not
/// allocate memory.
struct RecencyList {
    private struct Links {
        /// The place that was used immediately after this one, or ``none``.
        var newer: Int
        /// The place that was used immediately before this one, or ``none``.
        var older: Int
    }

    private static let none = -1

    private var links: [Links] = []
    private var free: [Int] = []
    private var newest = none
    private var oldest = none

    /// The least recently used place, or `nil` if the list is empty.
    var leastRecent: Int? { oldest == Self.none ? nil : oldest }

    /// Adds a place and marks it as used now.
    ///
    /// - Returns: The number of a removed place, if there is one, or the smallest unused number.
    mutating func insert() -> Int {
        let place: Int
        if let reused = free.popLast() {
            place = reused
        } else {
            place = links.count
            links.append(Links(newer: Self.none, older: Self.none))
        }
        linkAsNewest(place)
        return place
    }

    /// Marks a place as used now.
    @inline(__always)
    mutating func use(_ place: Int) {
        if place != newest { moveToNewest(place) }
    }

    /// Removes a place.
    mutating func remove(_ place: Int) {
        unlink(place)
        free.append(place)
    }

    @inline(never)
    private mutating func moveToNewest(_ place: Int) {
        unlink(place)
        linkAsNewest(place)
    }

    private mutating func linkAsNewest(_ place: Int) {
        links[place] = Links(newer: Self.none, older: newest)
        if newest == Self.none { oldest = place } else { links[newest].newer = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        let link = links[place]
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
