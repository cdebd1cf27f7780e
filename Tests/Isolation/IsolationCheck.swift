/// A type that checks whether a history is strictly serializable.
///
/// A history is strictly serializable if its transactions could have run one at a time, each at a
/// single moment between its start and its end.
///
/// The check follows Elle (Kingsbury and Alvaro, "Elle: Inferring Isolation Anomalies from
/// Experimental Observations", VLDB 2020). Reads of a list reveal the order of its writes. Reads of
/// a register reveal the order of two writes if the second writer reads the register first.
/// Otherwise, the clock determines the order. These orders define a graph of dependencies between
/// transactions, and each cycle in the graph is an anomaly. The check takes time that is nearly
/// linear in the number of operations. It searches for explanations only if the graph contains
/// cycles, and the graph of a correct history has none.
///
/// The check evaluates only reads, so a history without anomalies proves nothing about states that
/// were never read. Histories should therefore end with a read of every object, after all other
/// transactions.
package struct IsolationCheck: Sendable {
    /// The maximum number of anomalies of each kind that a check reports.
    package var limitPerKind = 5

    package init() {}

    /// Returns the anomalies of a history, in the order of the cases of ``AnomalyKind``.
    ///
    /// The array is empty if the reads do not contradict strict serializability.
    package func anomalies(of history: History) -> [Anomaly] {
        var log = AnomalyLog(limit: limitPerKind)
        let names = TransactionNames(history)
        var objects = ObjectAccesses(history, names: names, log: &log)
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
