/// The order of a register's committed values.
struct RegisterVersions {
    private let register: ObjectAccesses.Register
    private let history: History
    private let limit: Int
    /// The indices of the writes of transactions that had read a value before, keyed by that value.
    private var replacements: [Int64?: [Int]] = [:]
    /// The indices of all committed final writes, ordered by their start.
    private var orderedWrites: [Int] = []
    /// For each index `i`, the earliest end of the writes in `orderedWrites[i...]`.
    private var earliestEnds: [UInt64] = []

    /// Orders a register's writes, with at most `limit` successors for each value.
    init(
        _ register: ObjectAccesses.Register,
        _ history: History,
        _ objects: ObjectAccesses,
        limit: Int
    ) {
        self.register = register
        self.history = history
        self.limit = limit
        for (index, write) in register.writes.enumerated()
        where write.isFinal && objects.isCommitted[write.transaction] {
            orderedWrites.append(index)
            if write.hasPredecessor { replacements[write.predecessor, default: []].append(index) }
        }
        orderedWrites = orderedWrites.map { (begin: begin(of: $0), index: $0) }
            .sorted { ($0.begin, $0.index) < ($1.begin, $1.index) }
            .map(\.index)
        earliestEnds = [UInt64](repeating: .max, count: orderedWrites.count)
        var earliest = UInt64.max
        for position in orderedWrites.indices.reversed() {
            earliest = min(earliest, end(of: orderedWrites[position]))
            earliestEnds[position] = earliest
        }
    }

    private func begin(of write: Int) -> UInt64 {
        history.transactions[register.writes[write].transaction].begin
    }

    private func end(of write: Int) -> UInt64 {
        history.transactions[register.writes[write].transaction].end
    }

    /// For each value that several transactions replaced, the indices of the writes that replaced
    /// it.
    var forks: [[Int]] {
        replacements.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
    }

    /// Returns the possible immediate successors of a value, as indices of writes.
    func successors(of value: Int64?) -> ArraySlice<Int> {
        if let known = replacements[value] { return known.prefix(limit) }
        let position = positionAfter(value)
        guard position < orderedWrites.count else { return [] }
        let end = earliestEnds[position]
        return orderedWrites[position...].prefix(limit).prefix { begin(of: $0) <= end }
    }

    func writesAfter(_ value: Int64?) -> [ObjectAccesses.RegisterWrite] {
        let known = replacements[value] ?? []
        let later = orderedWrites[positionAfter(value)...].filter { !known.contains($0) }
        return (known + later).map { register.writes[$0] }
    }

    /// Returns the position in `orderedWrites` of the first write that started after the write of
    /// the value had ended.
    private func positionAfter(_ value: Int64?) -> Int {
        guard let value else { return 0 }
        guard let write = register.writers[value] else { return orderedWrites.count }
        let end = end(of: write)
        var (low, high) = (0, orderedWrites.count)
        while low < high {
            let middle = (low + high) / 2
            if begin(of: orderedWrites[middle]) > end { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
