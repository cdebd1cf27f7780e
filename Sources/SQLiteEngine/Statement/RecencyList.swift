/// The order in which the places of a cache were last used.
///
/// A doubly linked list of indices. Every operation takes constant time and, once the list has had
/// its largest size, allocates nothing.
struct RecencyList {
    private struct Links {
        /// The place that was used next, or ``none``.
        var newer: Int
        /// The place that was used before, or ``none``.
        var older: Int
    }

    private static let none = -1

    private var links: [Links] = []
    private var free: [Int] = []
    private var newest = none
    private var oldest = none

    /// The place that was not used for longest; nil when there is none.
    var leastRecent: Int? { oldest == Self.none ? nil : oldest }

    /// Adds a place, used now.
    ///
    /// - Returns: The smallest number that is not in use, or one that was removed.
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
