/// A directed graph of a history's transactions and their dependencies.
///
/// The first nodes are the transactions. The remaining nodes are moments: the times at which
/// transactions ended, in order. Edges lead from each transaction to the moment of its end, from
/// each moment to the next moment, and from the last moment before a transaction's start to that
/// transaction. The real-time order of n transactions can contain n² pairs, but this representation
/// needs only 3n edges.
struct DependencyGraph {
    struct Edge {
        var target: Int
        var kind: Dependency.Kind
        /// The index in `dependencies`, or -1 for an edge to or from a moment.
        var dependency: Int
    }

    let transactionCount: Int
    let nodeCount: Int
    let dependencies: [Dependency]
    /// The start times of the transactions, followed by the times of the moments.
    let times: [UInt64]
    /// The edges, sorted by source node.
    private let edges: [Edge]
    /// The index in `edges` of each node's first edge, followed by the number of edges.
    private let offsets: [Int]

    init(_ history: History, _ inferred: [Dependency]) {
        let transactions = history.transactions
        dependencies = inferred + Self.sessionOrder(of: history)
        transactionCount = transactions.count
        let moments = Set(transactions.lazy.map(\.end).filter { $0 < .max }).sorted()
        nodeCount = transactions.count + moments.count
        times = transactions.map(\.begin) + moments
        var all: [(from: Int, edge: Edge)] = []
        all.reserveCapacity(dependencies.count + 2 * transactions.count + moments.count)
        for (index, dependency) in dependencies.enumerated() {
            let edge = Edge(target: dependency.to, kind: dependency.kind, dependency: index)
            all.append((dependency.from, edge))
        }
        func addMoment(_ from: Int, _ to: Int) {
            all.append((from, Edge(target: to, kind: .realTime, dependency: -1)))
        }
        for index in moments.indices.dropFirst() {
            addMoment(transactionCount + index - 1, transactionCount + index)
        }
        for (index, transaction) in transactions.enumerated() {
            if transaction.end < .max {
                addMoment(index, transactionCount + moments.countBefore(transaction.end))
            }
            let before = moments.countBefore(transaction.begin)
            if before > 0 { addMoment(transactionCount + before - 1, index) }
        }
        var counts = [Int](repeating: 0, count: nodeCount + 1)
        for (from, _) in all { counts[from + 1] += 1 }
        for node in 0..<nodeCount { counts[node + 1] += counts[node] }
        offsets = counts
        var sorted = [Edge](
            repeating: Edge(target: 0, kind: [], dependency: -1),
            count: all.count
        )
        for (from, edge) in all {
            sorted[counts[from]] = edge
            counts[from] += 1
        }
        edges = sorted
    }

    /// Returns the indices of the edges that leave a node.
    func edgeRange(of node: Int) -> Range<Int> { offsets[node]..<offsets[node + 1] }

    func edge(at index: Int) -> Edge { edges[index] }

    /// Returns the session dependencies between consecutive transactions that do not overlap.
    private static func sessionOrder(of history: History) -> [Dependency] {
        var sessions: [Int: [Int]] = [:]
        for (index, transaction) in history.transactions.enumerated() {
            sessions[transaction.session, default: []].append(index)
        }
        var order: [Dependency] = []
        for session in sessions.keys.sorted() {
            let ordered = (sessions[session] ?? []).sorted {
                let (left, right) = (history.transactions[$0], history.transactions[$1])
                return (left.begin, left.end) < (right.begin, right.end)
            }
            for (first, second) in zip(ordered, ordered.dropFirst())
            where history.transactions[first].end <= history.transactions[second].begin {
                order.append(Dependency(from: first, to: second, kind: .session))
            }
        }
        return order
    }
}

extension [UInt64] {
    /// Returns the number of elements of a sorted array that are less than a value.
    fileprivate func countBefore(_ value: UInt64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
