import Scenarios
import Telemetry
import Text

/// A planner that converts captured clients to scenario clients.
///
/// If transactions arrive on a schedule, reads and writes become separate clients, so a comparison
/// reports separate metrics for each. The separation is valid because independent parts of a Poisson
/// process are also Poisson processes.
struct ClientPlanner {
    struct Share {
        var operation: PlannedOperation
        var count: Int
    }

    enum Pace: Equatable {
        case open(CapturedClient.Arrivals)
        case closed(PauseModel?)
    }

    struct Client {
        var name: String
        var writes: Bool
        var workers: Int
        /// The client whose workers also perform this client's transactions, if any.
        var workersOf: String?
        var pace: Pace
        var operations: [Share]
        /// The number of retries of an access after `SQLITE_BUSY`.
        var retries: Int
        var evidence: [String]

        var count: Int { operations.reduce(0) { $0 + $1.count } }

        /// Returns the client with corrected pauses.
        func adjusted(_ adjustment: FidelityAdjustment) -> Client {
            var client = self
            for index in operations.indices {
                let operation = operations[index].operation
                client.operations[index].operation.steps = operation.steps.scalingPauses(
                    by: adjustment.factor(ofPausesIn: operation.name, of: name)
                )
            }
            let factor = adjustment.factor(ofPaceOf: name)
            if case .closed(let pause?) = pace, factor != 1 {
                client.pace = .closed(pause.scaled(by: factor))
                client.evidence.append(
                    "after a check, its think time was multiplied by \(ReportUnits.compact(factor))"
                )
            }
            return client
        }
    }

    let analysis: CaptureAnalysis
    let planned: [Int: PlannedOperation]

    init(_ analysis: CaptureAnalysis, planned: [Int: PlannedOperation]) {
        self.analysis = analysis
        self.planned = planned
    }

    func clients() -> [Client] {
        analysis.clients.flatMap { captured -> [Client] in
            let shares = captured.counts.sorted { $0.key < $1.key }.compactMap { shape, count in
                planned[shape].map { Share(operation: $0, count: count) }
            }
            guard !shares.isEmpty else { return [] }
            switch captured.pace {
            case .closed(let think):
                return [
                    client(
                        captured,
                        name: captured.name,
                        shares: shares,
                        workers: workers(of: captured),
                        pace: .closed(think)
                    )
                ]
            case .open(let reads, let writes):
                let parts = [(reads, false), (writes, true)].compactMap { arrivals, writes in
                    let chosen = shares.filter { $0.operation.writes == writes }
                    guard !chosen.isEmpty else { return nil as Client? }
                    return client(
                        captured,
                        name: captured.name + (writes ? "-writes" : "-reads"),
                        shares: chosen,
                        workers: workers(of: captured),
                        pace: .open(
                            self.arrivals(arrivals, of: captured, chosen: chosen, writes: writes)
                        )
                    )
                }
                return captured.hasOneConnection ? Self.takingTurns(parts) : parts
            }
        }
    }

    /// Returns clients of which the second uses the first one's worker, as they use one connection.
    private static func takingTurns(_ clients: [Client]) -> [Client] {
        var clients = clients
        for index in clients.indices.dropFirst() {
            clients[index].workersOf = clients[0].name
            clients[index].evidence.append(
                "the program reads and writes on one connection, so the scenario's reads and writes "
                    + "take turns in all arms; without 'workers-of', they overlap, as in a program with "
                    + "two threads"
            )
        }
        return clients
    }

    /// Returns the arrivals without those of the shapes that are not planned.
    private func arrivals(
        _ arrivals: CapturedClient.Arrivals,
        of captured: CapturedClient,
        chosen: [Share],
        writes: Bool
    ) -> CapturedClient.Arrivals {
        let total = captured.counts.reduce(0) { sum, shape in
            analysis.shapes[shape.key].writes == writes ? sum + shape.value : sum
        }
        let share = Double(chosen.reduce(0) { $0 + $1.count }) / Double(max(1, total))
        var arrivals = arrivals
        arrivals.rates = arrivals.rates.map { $0 * share }
        return arrivals
    }

    /// Returns the number of workers for a client.
    ///
    /// In an open loop with several connections, this is twice the observed concurrency, but at most the
    /// number of connections. The additional workers are available to slower arms.
    private func workers(of client: CapturedClient) -> Int {
        if client.hasOneConnection { return 1 }
        if case .closed = client.pace { return min(client.workers, 1000) }
        return min(max(1, min(client.connections.count, 2 * client.concurrency)), 1000)
    }

    private func client(
        _ captured: CapturedClient,
        name: String,
        shares: [Share],
        workers: Int,
        pace: Pace
    ) -> Client {
        var evidence = captured.evidence
        if case .open(let arrivals) = pace { evidence.append(arrivals.evidence) }
        return Client(
            name: name,
            writes: shares.contains { $0.operation.writes },
            workers: workers,
            pace: pace,
            operations: shares,
            retries: shares.map { analysis.shapes[$0.operation.shape].maximumRetryCount }.max()
                ?? 0,
            evidence: evidence
        )
    }
}

/// A group of connections with the same mix of transactions, and the pace of the transactions.
struct CapturedClient {
    /// A schedule: one rate or consecutive rates for equal periods, in transactions per second.
    struct Arrivals: Equatable {
        var rates: [Double]
        var isEven: Bool
        var evidence: String
    }

    enum Pace: Equatable {
        /// Transactions start on a schedule. Reads and writes have their own.
        case open(reads: Arrivals, writes: Arrivals)
        /// Each transaction starts after the previous one and a pause, if any.
        case closed(PauseModel?)
    }

    var name: String
    /// The numbers of the connections.
    var connections: Set<Int>
    var concurrency: Int
    /// Whether all transactions, except a few such as those that set up a database, use one connection.
    var hasOneConnection: Bool
    /// The number of workers that represent the connections.
    var workers: Int
    /// The number of transactions of each shape, by shape number.
    var counts: [Int: Int]
    var pace: Pace
    /// The evidence for the group and the pace, one sentence each.
    var evidence: [String]
}
