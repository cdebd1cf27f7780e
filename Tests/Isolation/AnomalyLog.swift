/// The anomalies that a check has found, up to a limit for each kind.
struct AnomalyLog {
    /// The maximum number of anomalies of each kind.
    ///
    /// A broken database can affect every transaction, but a few examples are enough.
    private let limit: Int
    private var counts: [AnomalyKind: Int] = [:]
    private(set) var anomalies: [Anomaly] = []

    init(limit: Int) { self.limit = limit }

    func hasRoom(for kind: AnomalyKind) -> Bool { counts[kind, default: 0] < limit }

    /// Adds an anomaly, unless its kind has reached the limit.
    ///
    /// The explanation is evaluated only if the anomaly is added.
    mutating func add(
        _ kind: AnomalyKind,
        _ transactions: [Int],
        _ explanation: @autoclosure () -> String
    ) {
        guard hasRoom(for: kind) else { return }
        counts[kind, default: 0] += 1
        anomalies.append(
            Anomaly(kind: kind, explanation: explanation(), transactions: transactions)
        )
    }
}
