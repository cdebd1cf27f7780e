import Scenarios
import Telemetry
import Text

/// A type that writes a captured scenario as YAML with comments.
struct ScenarioText {
    let analysis: CaptureAnalysis
    let options: CaptureOptions
    let clients: [ClientPlanner.Client]
    let arms: [(arm: Arm, comment: String)]
    let variables: [VariableRegistry.Entry]
    let omissions: [String]

    var text: String {
        ScenarioEncoder.text(of: scenario, introduction: introduction, comments: comments)
    }

    private var scenario: Scenario {
        let length = min(max(analysis.duration.rounded(), 5), 30)
        var scenario = Scenario(
            name: options.name,
            dataset: .file(options.database),
            arms: arms.map(\.arm),
            phases: [
                Phase(name: "warm-up", duration: .seconds(2), isMeasured: false),
                Phase(name: "steady", duration: .seconds(Int(length))),
            ],
            clients: clients.map(Self.client)
        )
        scenario.description = "The load captured from \(options.origin)."
        scenario.drain = .seconds(5)
        for entry in variables { scenario.variables[entry.name] = entry.variable }
        for operation in operations { scenario.transactions[operation.name] = operation.steps }
        scenario.primary = clients.prefix(3).map { client in
            // Short pauses hide a change from the throughput, and with long ones there are too few
            // accesses for a percentile.
            if case .closed(let pause) = client.pace, pause?.mean ?? 0 == 0 || pause?.mean ?? 0 > 1
            {
                return "\(client.name).throughput"
            }
            return "\(client.name).response.p99"
        }
        scenario.thresholds = clients.flatMap(thresholds)
        scenario.invariants = [Invariant.integrityCheck.rawValue]
        return scenario
    }

    // MARK: Comments

    private var introduction: [String] {
        let statements = HumanUnits.exact(analysis.executionCount, "statement")
        let transactions = HumanUnits.exact(
            analysis.shapes.reduce(0) { $0 + $1.count },
            "transaction"
        )
        let duration = ReportUnits.compactTime(analysis.duration)
        return [
            "Captured from \(options.origin): \(statements) in \(transactions) over \(duration).",
            options.showsValues
                ? "Values are drawn from distributions fitted to the observed values; values that occur "
                    + "fewer than \(options.minimumCount) times are not shown."
                : "Values are drawn from the columns of the database; this file contains no values "
                    + "from the program.",
            "", "Not modeled:",
        ] + omissions.map { "- \($0)" }
    }

    private var comments: [String: [String]] {
        var comments = ["dataset": ["copied, never changed"]]
        for (arm, comment) in arms { comments["arms.\(arm.name)"] = [comment] }
        for entry in variables { comments["variables.\(entry.name)"] = [entry.comment] }
        for operation in operations {
            comments["transactions.\(operation.name)"] = [facts(operation)]
        }
        for client in clients {
            comments["clients.\(client.name)"] = client.evidence
            comments["thresholds.\(client.name).response"] = responseLimit(of: client)
                .map { [$0.comment] }
        }
        return comments
    }

    private func facts(_ operation: PlannedOperation) -> String {
        let shape = analysis.shapes[operation.shape]
        var facts = shape.count == 1 ? "run once" : "\(HumanUnits.exact(shape.count)) times"
        if shape.isTimed {
            facts +=
                ", p50 \(ReportUnits.compactTime(shape.durations.quantile(0.5))), p99 "
                + ReportUnits.compactTime(shape.durations.quantile(0.99))
        }
        if shape.busyCount > 0 { facts += ", \(HumanUnits.exact(shape.busyCount)) × busy" }
        if let rolledBack = shape.outcomes[.rolledBack] {
            facts += ", \(HumanUnits.exact(rolledBack)) rolled back"
        }
        return facts
    }

    // MARK: Clients

    private var operations: [PlannedOperation] {
        var seen: Set<Int> = []
        return clients.flatMap(\.operations).map(\.operation)
            .filter { seen.insert($0.shape).inserted }
            .sorted { $0.shape < $1.shape }
    }

    private static func client(_ planned: ClientPlanner.Client) -> Client {
        let mix = planned.operations.sorted { $0.count > $1.count }.map { share in
            Operation(
                name: share.operation.name,
                weight: Double(share.count),
                access: planned.writes && !share.operation.writes ? .read : nil,
                steps: share.operation.steps
            )
        }
        let access: WorkloadAccess = planned.writes ? .write : .read
        var client = Client(name: planned.name, activity: .operations(access, mix: mix))
        client.workers = planned.workers
        client.workersOf = planned.workersOf
        switch planned.pace {
        case .closed(let pause): client.pace = .closed(pause?.thinkTime ?? .constant(.zero))
        case .open(let arrivals):
            client.pace = .open(arrival(arrivals.rates, isEven: arrivals.isEven))
        }
        client.busyRetries = planned.retries
        return client
    }

    private static func arrival(_ rates: [Double], isEven: Bool) -> Arrival {
        let process: Arrival.Process = isEven ? .even : .poisson
        guard rates.count > 1 else { return Arrival(rate: .rounded(rates[0]), process: process) }
        let length = TimeSpan.share(.rounded(100 / Double(rates.count)) / 100)
        let stages = rates.map { rate in
            Arrival.Stage(from: .rounded(rate), to: .rounded(rate), length: length)
        }
        return Arrival(stages: stages, process: process)
    }

    // MARK: Goals

    private func thresholds(of client: ClientPlanner.Client) -> [Threshold] {
        let failures = client.operations.reduce(0) {
            $0 + analysis.shapes[$1.operation.shape].failureCount
        }
        let share = Double(failures) / Double(max(1, client.count))
        let errors = Self.threshold(
            "\(client.name).errors",
            aggregate: "rate",
            limit: ReportUnits.compact(share * 1.5 + 0.01)
        )
        let response = responseLimit(of: client).map { limit in
            Self.threshold(
                "\(client.name).response",
                aggregate: limit.aggregate,
                limit: limit.limit
            )
        }
        return [response, errors].compactMap { $0 }
    }

    /// Returns an upper limit, whose number the encoder does not use.
    private static func threshold(
        _ metric: String,
        aggregate: String,
        limit: String
    ) -> Threshold {
        Threshold(
            metric: metric,
            expression: "\(aggregate) < \(limit)",
            aggregate: aggregate,
            comparison: "<",
            limit: 0
        )
    }

    /// Returns a limit for the response time: the observed value, rounded up to 1, 2, or 5 times a
    /// power of ten, or `nil` if there are too few transactions or their durations are unknown.
    private func responseLimit(
        of client: ClientPlanner.Client
    ) -> (aggregate: String, limit: String, comment: String)? {
        let shapes = client.operations.map { analysis.shapes[$0.operation.shape] }
        guard client.count >= 100, shapes.allSatisfy(\.isTimed) else { return nil }
        // The percentile of a mix does not exceed the largest percentile of its operations.
        let share = client.count >= 1000 ? 0.99 : 0.9
        func slowest(_ client: ClientPlanner.Client) -> Double {
            let shapes = client.operations.map { analysis.shapes[$0.operation.shape] }
            return shapes.map { $0.durations.quantile(share) }.max() ?? 0
        }
        let own = slowest(client)
        guard own > 0 else { return nil }
        // A transaction may have to wait for one of the client with which it takes turns.
        let others = clients.filter {
            $0.name != client.name
                && ($0.workersOf == client.name || $0.name == client.workersOf)
        }
        let observed = others.reduce(own) { $0 + slowest($1) }
        var limit = 1e-6
        for step in sequence(first: 0, next: { $0 + 1 }) {
            limit = [1.0, 2, 5][step % 3] * Self.power(step / 3) * 1e-6
            if limit >= observed { break }
        }
        return (
            "p(\(Int(share * 100)))", ReportUnits.compactTime(limit),
            "The observed p\(Int(share * 100)) of the client's slowest operation was "
                + ReportUnits.compactTime(own)
                + (others.isEmpty
                    ? "."
                    : ", and \(ReportUnits.compactTime(observed)) with the one that it may wait for.")
        )
    }

    private static func power(_ exponent: Int) -> Double {
        (0..<exponent).reduce(1) { result, _ in result * 10 }
    }
}

extension ShapeStatistics {
    /// The number of transactions that failed, for example because of a lock.
    var failureCount: Int { (outcomes[.busy] ?? 0) + (outcomes[.failed] ?? 0) }
}
