extension DependencyGraph {
    /// The strongly connected components of a graph.
    ///
    /// In a component with several nodes, every node is part of a cycle.
    struct Components {
        /// The component of each node.
        var component: [Int]
        /// The number of nodes in each component.
        var sizes: [Int]

        var hasCycle: Bool { sizes.contains { $0 > 1 } }

        /// Returns whether two nodes are part of a common cycle.
        func connects(_ first: Int, _ second: Int) -> Bool {
            component[first] == component[second]
        }
    }

    /// Returns the strongly connected components, following only edges of the given kinds.
    ///
    /// This method uses Tarjan's algorithm ("Depth-First Search and Linear Graph Algorithms", 1972)
    /// with an explicit stack, because a path can be as long as the history.
    func components(following kinds: Dependency.Kind) -> Components {
        let unvisited = -1
        var order = [Int](repeating: unvisited, count: nodeCount)
        var lowest = [Int](repeating: 0, count: nodeCount)
        var component = [Int](repeating: unvisited, count: nodeCount)
        var sizes: [Int] = []
        var stack: [Int] = []
        var calls: [(node: Int, nextEdge: Int)] = []
        var counter = 0
        for root in 0..<nodeCount where order[root] == unvisited {
            calls.append((root, edgeRange(of: root).lowerBound))
            order[root] = counter
            lowest[root] = counter
            counter += 1
            stack.append(root)
            while let (node, nextEdge) = calls.last {
                var next = nextEdge
                var child: Int?
                let end = edgeRange(of: node).upperBound
                while next < end {
                    let edge = edge(at: next)
                    next += 1
                    guard kinds.contains(edge.kind) else { continue }
                    if order[edge.target] == unvisited {
                        child = edge.target
                        break
                    }
                    if component[edge.target] == unvisited {
                        lowest[node] = min(lowest[node], order[edge.target])
                    }
                }
                calls[calls.count - 1].nextEdge = next
                if let child {
                    calls.append((child, edgeRange(of: child).lowerBound))
                    order[child] = counter
                    lowest[child] = counter
                    counter += 1
                    stack.append(child)
                    continue
                }
                calls.removeLast()
                if let parent = calls.last?.node {
                    lowest[parent] = min(lowest[parent], lowest[node])
                }
                guard lowest[node] == order[node] else { continue }
                var size = 0
                while let member = stack.popLast() {
                    component[member] = sizes.count
                    size += 1
                    if member == node { break }
                }
                sizes.append(size)
            }
        }
        return Components(component: component, sizes: sizes)
    }
}
