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
            updateMap(frames, last, &map, usableSize)
        }
        for frame in frames { counts[map.owner(of: frame.page), default: 0] += 1 }
    }

    /// Adds the new pages of a transaction to the map.
    ///
    /// The keys of `last` are the transaction's pages. The values are the indices of their last
    /// frames.
    private func updateMap(
        _ frames: [Frame],
        _ last: [UInt32: Int],
        _ map: inout PageMap,
        _ usableSize: Int
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
                queue += assign([next], owner, true, last, &map)
                continue
            }
            guard
                let tree = BTreePage(frames[number].bytes, number: page, usableSize: usableSize)
            else { continue }
            queue += assign(tree.children, owner, false, last, &map)
            queue += assign(tree.overflowPages, owner, true, last, &map)
        }
    }

    /// Assigns pages to an owner and returns the pages of this transaction whose owner changed.
    private func assign(
        _ pages: [UInt32],
        _ owner: PageMap.Owner,
        _ isOverflow: Bool,
        _ last: [UInt32: Int],
        _ map: inout PageMap
    ) -> [UInt32] {
        pages.filter { page in
            guard page > 0, map.owner(of: page) != owner || map.isOverflow(page) != isOverflow
            else { return false }
            map.set(owner, of: page, isOverflow: isOverflow)
            return last[page] != nil
        }
    }
}
