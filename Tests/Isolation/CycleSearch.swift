/// A search that finds cycles of dependencies and classifies them as anomalies.
///
/// The search first follows the dependencies inferred from reads and writes, then adds the session
/// order, and finally adds the real-time order. It therefore classifies each cycle by the weakest
/// guarantee that the cycle violates.
struct CycleSearch {
    private let graph: DependencyGraph
    private let history: History
    private let explanation: CycleExplanation

    /// The maximum number of edges that the searches at one level follow, per graph node.
    private static let budgetPerNode = 50

    init(
        _ graph: DependencyGraph,
        _ history: History,
        _ objects: ObjectAccesses,
        _ names: TransactionNames
    ) {
        self.graph = graph
        self.history = history
        explanation = CycleExplanation(history, objects, names)
    }

    private struct Level {
        /// The edges that form the cycles.
        var kinds: Dependency.Kind
        /// The edges from which the search starts.
        var origins: Dependency.Kind
        /// The kind of edge that a cycle at this level must contain.
        var required: Dependency.Kind
        var anomalies: [AnomalyKind]

        /// The edges to follow from an origin's target back to its source.
        ///
        /// Antidependencies are excluded because a cycle with one antidependency is more specific
        /// than a cycle with several.
        var returning: Dependency.Kind { kinds.subtracting(.antidependency) }
    }

    private static let levels: [Level] = [
        Level(
            kinds: .overwrite,
            origins: .overwrite,
            required: .overwrite,
            anomalies: [.dirtyWrite]
        ),
        Level(
            kinds: .information,
            origins: .read,
            required: .read,
            anomalies: [.circularInformation]
        ),
        Level(
            kinds: .data,
            origins: .antidependency,
            required: .antidependency,
            anomalies: [.lostUpdate, .readSkew]
        ),
        Level(
            kinds: [.data, .session],
            origins: .antidependency,
            required: .session,
            anomalies: [.nonMonotonicRead, .staleRead]
        ),
        Level(
            kinds: .all,
            origins: .data,
            required: .realTime,
            anomalies: [.dirtyRead, .staleRead, .realTimeViolation]
        ),
    ]

    private struct Findings {
        /// The sorted members of each reported cycle.
        var cycles: Set<[Int]> = []
        /// The components that already have a reported cycle.
        var components: Set<Int> = []
    }

    /// Adds the anomalies of all cycles to the log.
    func search(_ log: inout AnomalyLog) {
        let whole = graph.components(following: .all)
        guard whole.hasCycle else { return }
        var paths = PathSearch(graph, budget: 0)
        var findings = Findings()
        for level in Self.levels {
            search(level, whole, &paths, &findings, &log)
        }
        searchRest(whole, &paths, &findings, &log)
    }

    private func search(
        _ level: Level,
        _ whole: DependencyGraph.Components,
        _ paths: inout PathSearch,
        _ findings: inout Findings,
        _ log: inout AnomalyLog
    ) {
        let components = graph.components(following: level.kinds)
        guard components.hasCycle else { return }
        paths.budget = graph.nodeCount * Self.budgetPerNode
        for edge in graph.dependencies
        where level.origins.contains(edge.kind) && components.connects(edge.from, edge.to) {
            guard paths.budget > 0, level.anomalies.contains(where: log.hasRoom) else { return }
            let path = paths.path(
                from: edge.to,
                to: edge.from,
                following: level.returning,
                in: components,
                // Exclude later transactions: a path through one of them contains a cycle that
                // spans less time.
                until: history.transactions[edge.from].end
            )
            guard let path else { continue }
            let cycle = [edge] + path
            guard cycle.contains(where: { $0.kind == level.required }) else { continue }
            report(cycle, whole, &findings, &log)
        }
    }

    /// Reports one cycle in each component that has no reported cycle.
    private func searchRest(
        _ whole: DependencyGraph.Components,
        _ paths: inout PathSearch,
        _ findings: inout Findings,
        _ log: inout AnomalyLog
    ) {
        for kinds in [Dependency.Kind.data, .all] {
            let components = graph.components(following: kinds)
            for edge in graph.dependencies
            where kinds.contains(edge.kind) && edge.kind != .session
                && components.connects(edge.from, edge.to)
                && !findings.components.contains(whole.component[edge.from])
            {
                paths.budget = .max
                let path = paths.path(
                    from: edge.to,
                    to: edge.from,
                    following: kinds,
                    in: components
                )
                if let path { report([edge] + path, whole, &findings, &log) }
            }
        }
    }

    private func report(
        _ cycle: [Dependency],
        _ whole: DependencyGraph.Components,
        _ findings: inout Findings,
        _ log: inout AnomalyLog
    ) {
        findings.components.insert(whole.component[cycle[0].from])
        let members = cycle.map(\.from)
        guard findings.cycles.insert(members.sorted()).inserted else { return }
        log.add(cycle.anomalyKind, members, explanation.text(of: cycle))
    }
}
