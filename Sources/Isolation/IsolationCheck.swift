/// Decides whether a history is strictly serializable: whether its transactions could have run one
/// after another, each at one moment between its begin and its end.
///
/// The check follows Elle (Kingsbury and Alvaro, "Elle: Inferring Isolation Anomalies from
/// Experimental Observations", VLDB 2020). Lists show the order of their writes by themselves;
/// registers show it where a transaction reads before it writes, and otherwise by the clock. From
/// these orders follows a graph of dependencies between transactions, and each cycle of the graph
/// is an anomaly. The check takes time nearly linear in the number of operations, because only
/// cycles, which a correct history does not have, are searched for explanations.
///
/// A history without anomalies is not proof: the check only judges what reads observed. Histories
/// should therefore end with a read of every object, after all other transactions.
package struct IsolationCheck: Sendable {
    /// The most anomalies of each kind that a check reports.
    package var limitPerKind = 5

    /// Creates a check.
    package init() {}

    /// Finds the anomalies of a history.
    ///
    /// - Returns: The anomalies, in the order of ``AnomalyKind``'s cases; empty if the history is
    ///   strictly serializable as far as its reads can tell.
    package func anomalies(of history: History) -> [Anomaly] {
        var log = AnomalyLog(limit: limitPerKind)
        let names = TransactionNames(history)
        var objects = ObjectAccesses(history, names, &log)
        objects.resolveUnknownOutcomes()
        var edges: [Dependency] = []
        ListInference(history, objects, names).infer(&edges, &log)
        RegisterInference(history, objects, names).infer(&edges, &log)
        let graph = DependencyGraph(history, edges)
        CycleSearch(graph, history, objects, names).search(&log)
        let order = AnomalyKind.allCases
        return log.anomalies.enumerated()
            .map { (rank: order.firstIndex(of: $1.kind) ?? order.count, position: $0, anomaly: $1) }
            .sorted { ($0.rank, $0.position) < ($1.rank, $1.position) }
            .map(\.anomaly)
    }
}
