/// A search that finds short paths in a graph, within one strongly connected component.
///
/// The length of a path is the number of its transactions, excluding moments.
struct PathSearch {
    private let graph: DependencyGraph
    /// The number of the search that most recently reached each node.
    private var lastSearches: [Int]
    /// The predecessor of each node, with the edge between them.
    private var previous: [(node: Int, edge: Int)]
    private var searchNumber = 0
    /// The number of edges that searches may still follow.
    ///
    /// A broken history can have very large components, but a few examples are enough.
    var budget: Int

    init(_ graph: DependencyGraph, budget: Int) {
        self.graph = graph
        self.budget = budget
        lastSearches = [Int](repeating: 0, count: graph.nodeCount)
        previous = [(Int, Int)](repeating: (0, 0), count: graph.nodeCount)
    }

    /// Returns a shortest path.
    ///
    /// - Parameters:
    ///   - start: The first transaction.
    ///   - end: The last transaction.
    ///   - kinds: The kinds of edges to follow.
    ///   - components: The components that these edges form in the graph.
    ///   - latest: The latest permitted start time of a transaction on the path.
    /// - Returns: The dependencies along the path, or `nil` if no path exists or the budget is
    ///   exhausted.
    mutating func path(
        from start: Int,
        to end: Int,
        following kinds: Dependency.Kind,
        in components: DependencyGraph.Components,
        until latest: UInt64 = .max
    ) -> [Dependency]? {
        searchNumber += 1
        lastSearches[start] = searchNumber
        var level = [start]
        while !level.isEmpty {
            var next: [Int] = []
            // Edges between moments have length 0, so their targets are on the same level.
            while let node = level.popLast() {
                for index in graph.edgeRange(of: node) {
                    let edge = graph.edge(at: index)
                    budget -= 1
                    guard kinds.contains(edge.kind), lastSearches[edge.target] != searchNumber,
                        graph.times[edge.target] <= latest,
                        components.connects(edge.target, start)
                    else { continue }
                    lastSearches[edge.target] = searchNumber
                    previous[edge.target] = (node, index)
                    if edge.target == end { return dependencies(from: start, to: end) }
                    if edge.target < graph.transactionCount {
                        next.append(edge.target)
                    } else {
                        level.append(edge.target)
                    }
                }
                if budget <= 0 { return nil }
            }
            level = next
        }
        return nil
    }

    /// Returns the path that the last search found.
    ///
    /// Consecutive moments are combined into one real-time dependency.
    private func dependencies(from start: Int, to end: Int) -> [Dependency] {
        var path: [Dependency] = []
        var node = end
        var target = end
        repeat {
            let (before, index) = previous[node]
            let edge = graph.edge(at: index)
            if edge.dependency >= 0 {
                path.append(graph.dependencies[edge.dependency])
                target = before
            } else if before < graph.transactionCount {
                path.append(Dependency(from: before, to: target, kind: .realTime))
                target = before
            }
            node = before
        } while node != start
        return path.reversed()
    }
}
