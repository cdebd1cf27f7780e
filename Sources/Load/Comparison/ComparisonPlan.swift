import Scenarios
import Text

/// The arms and primary metrics of a comparison, fixed before the first run.
package struct ComparisonPlan {
    struct Slot: Sendable {
        let arm: Arm
        /// Whether this is the first arm's second run, which measures the noise.
        let isControl: Bool
    }

    /// A pair of arms, in which `b` is judged against `a`.
    package struct Pair: Sendable, Hashable {
        package let a: String
        package let b: String

        package init(a: String, b: String) {
            self.a = a
            self.b = b
        }
    }

    /// The arms, with the baseline arm first.
    let arms: [Arm]
    /// The runs of each block: each arm once, and the first arm again.
    let slots: [Slot]
    let pairs: [Pair]
    let primary: [ComparisonMetric]
    /// The metrics to report.
    ///
    /// Only the primary metrics among these metrics determine the outcome.
    let metrics: [ComparisonMetric]
    let conditions: [FailCondition]

    /// Creates a plan for a scenario's clients.
    ///
    /// - Throws: `RunError` if a primary metric is unknown or there is none, a condition uses a
    ///   client that is omitted from the comparison or a metric with too few expected accesses, or
    ///   there are too few blocks for the number of tests.
    init(_ scenario: Scenario, arms: [Arm], options: ComparisonOptions) throws {
        self.arms = arms
        slots =
            arms.map { Slot(arm: $0, isControl: false) }
            + arms.prefix(1).map { Slot(arm: $0, isControl: true) }
        pairs =
            options.sweep?.pairs
            ?? (options.onlyAgainstFirst ? Self.pairsAgainstFirst(of: arms) : Self.pairs(of: arms))
        let catalog = MetricCatalog(clients: scenario.clients.map(\.name))
        conditions = options.failIf
        var primary = try Self.primary(scenario, requested: options.primary, catalog: catalog)
        // A table of a sweep shows a single metric, so that the correction covers only its rows.
        if options.sweep != nil, options.primary == nil { primary = Array(primary.prefix(1)) }
        for metric in conditions.map(\.metric) where !primary.contains(metric) {
            primary.append(metric)
        }
        self.primary = primary
        metrics = scenario.clients.filter(\.isCompared).flatMap { client in
            (Self.reportedMetrics + [Self.lagMetric] + Self.tailMetrics).compactMap {
                try? ComparisonMetric("\(client.name).\($0)", in: catalog)
            }
        }
        try checkConditions(scenario)
        let tests = primary.count * pairs.count
        guard BlockCount.suffices(options.blocks, tests: tests) else {
            let needed = BlockCount.minimum(tests: tests)
            throw RunError(
                .scenario,
                "--blocks \(options.blocks) is too low to show a difference: "
                    + HumanUnits.counted(tests, "test")
                    + " (\(HumanUnits.counted(primary.count, "metric")) × "
                    + "\(HumanUnits.counted(pairs.count, "pair")) of arms) "
                    + "\(tests == 1 ? "requires" : "require") at least \(needed) blocks"
            )
        }
    }

    package static let reportedMetrics = [
        "throughput", "response.p50", "response.p99", "wait.p50", "wait.p99",
    ]

    /// The part of a response time that no reported metric contains: the wait for a worker.
    static let lagMetric = "lag.p50"

    package static let tailMetrics = ["response.p99.9", "response.p99.99"]

    static func isTail(_ metric: ComparisonMetric) -> Bool {
        tailMetrics.contains { metric.name == "\(metric.owner).\($0)" }
    }

    /// Returns whether a condition uses the metric.
    ///
    /// Such a metric must not be replaced.
    func isFixed(_ metric: ComparisonMetric) -> Bool {
        conditions.contains { $0.metric == metric }
    }

    private static func pairsAgainstFirst(of arms: [Arm]) -> [Pair] {
        guard let first = arms.first else { return [] }
        return arms.dropFirst().map { Pair(a: first.name, b: $0.name) }
    }

    /// Returns pairs of each arm with the first arm, and of each pool with each queue in WAL mode.
    ///
    /// The second kind of pair shows a pool's effect beyond that of WAL and `synchronous = NORMAL`.
    static func pairs(of arms: [Arm]) -> [Pair] {
        var pairs = pairsAgainstFirst(of: arms)
        for queue in arms where queue.kind == .queue && queue.isWAL {
            for pool in arms where pool.kind == .pool && pool.library == queue.library {
                let pair = Pair(a: queue.name, b: pool.name)
                let mirrored = Pair(a: pool.name, b: queue.name)
                if !pairs.contains(pair), !pairs.contains(mirrored) { pairs.append(pair) }
            }
        }
        return pairs
    }

    // MARK: Primary metrics

    private static func primary(
        _ scenario: Scenario,
        requested: [String]?,
        catalog: MetricCatalog
    ) throws -> [ComparisonMetric] {
        if let requested {
            return try requested.map { name in
                do { return try ComparisonMetric(name, in: catalog) } catch {
                    throw RunError(.scenario, "--primary: \(error)")
                }
            }
        }
        // Skip metrics of clients that are omitted from the comparison.
        let declared = scenario.primary.compactMap { try? ComparisonMetric($0, in: catalog) }
        if !declared.isEmpty { return declared }
        let metrics = scenario.clients.compactMap(\.primaryMetric).compactMap {
            try? ComparisonMetric($0, in: catalog)
        }
        guard metrics.isEmpty else { return metrics }
        throw RunError(
            .scenario,
            "\(scenario.name) has no client whose accesses can be compared on these arms"
        )
    }

    private func checkConditions(_ scenario: Scenario) throws {
        let groups = scenario.clients.map(\.name) + MetricCatalog.databaseGroups
        for condition in conditions {
            let metric = condition.metric
            guard groups.contains(metric.owner) else {
                throw RunError(
                    .scenario,
                    "'\(condition.expression)': not every arm can run \(metric.owner), which is "
                        + "omitted from the comparison"
                )
            }
            guard let client = scenario.clients.first(where: { $0.name == metric.owner }),
                case .open(let arrival) = client.pace
            else { continue }
            let seconds = scenario.measuredDuration.inSeconds
            let expected = arrival.rate * seconds
            guard arrival.stages.isEmpty, expected < Double(metric.neededAccesses) else { continue }
            let sufficientSeconds =
                (Double(metric.neededAccesses) / arrival.rate * 1.1).integerRoundedUp
            var advice = "a --duration of \(sufficientSeconds)s"
            if let lower = metric.lowerPercentile, expected >= Double(lower.neededAccesses) * 1.1 {
                advice += ", or \(lower)"
            }
            throw RunError(
                .scenario,
                "'\(condition.expression)': \(metric) needs "
                    + "\(HumanUnits.exact(UInt64(metric.neededAccesses))) accesses in each block, "
                    + "but \(ReportUnits.rate(arrival.rate)) for \(ReportUnits.seconds(seconds)) "
                    + "yields only \(HumanUnits.exact(UInt64(expected))); use \(advice)"
            )
        }
    }
}

extension Client {
    fileprivate var isCompared: Bool {
        switch activity {
        case .interrupt: false
        case .action(let action): action.isTimed
        default: true
        }
    }

    /// The client's default primary metric.
    ///
    /// The metric is the throughput of a closed loop or the 99th percentile of an open loop's
    /// response times. Clients with accesses at fixed times have no primary metric.
    fileprivate var primaryMetric: String? {
        guard isCompared else { return nil }
        return switch pace {
        case .closed: "\(name).throughput"
        case .open: "\(name).response.p99"
        case .at, .every: nil
        }
    }
}

extension Double {
    fileprivate var integerRoundedUp: Int { Int(rounded(.up)) }
}

/// Several of a client's write transactions in one.
struct WriteBatch: Sendable, Equatable {
    var client: String
    /// The number of former transactions in each transaction.
    var size: Int

    /// Returns the scenario with the client's larger transactions.
    ///
    /// A schedule has fewer arrivals, so that it writes as many rows.
    func applied(to scenario: Scenario) -> Scenario {
        guard size > 1, let index = scenario.clients.firstIndex(where: { $0.name == client }),
            case .operations(_, var mix) = scenario.clients[index].activity
        else { return scenario }
        for position in mix.indices {
            mix[position].steps = [.times(size, mix[position].steps)]
            mix[position].access = nil
        }
        var scenario = scenario
        scenario.clients[index].activity = .operations(.write, mix: mix)
        if case .open(var arrival) = scenario.clients[index].pace {
            let size = Double(size)
            arrival.rate /= size
            for stage in arrival.stages.indices {
                arrival.stages[stage].from /= size
                arrival.stages[stage].to /= size
            }
            scenario.clients[index].pace = .open(arrival)
        }
        return scenario
    }
}

extension ComparisonOptions {
    /// Returns the arms to compare, with the baseline arm first.
    ///
    /// - Throws: `RunError` if the scenario has no arm with a given name.
    func chosenArms(in scenario: Scenario) throws -> [Arm] {
        if let sweep { return sweep.variants.map(\.arm) }
        guard let names = arms else { return Self.standardArms(of: scenario) }
        var chosen: [Arm] = []
        for name in names {
            let arm = try scenario.arm(named: name)
            if !chosen.contains(arm) { chosen.append(arm) }
        }
        return chosen
    }

    /// Returns the names of the arms to compare, with the baseline arm first.
    ///
    /// - Throws: `RunError` if the scenario has no arm with a given name.
    public func armNames(in scenario: Scenario) throws -> [String] {
        try chosenArms(in: scenario).map(\.name)
    }

    /// Returns the arms that show the effect of a pool: SQLite's defaults, a queue in WAL mode, and
    /// a pool.
    ///
    /// If the scenario has fewer than two of these arms, this method returns all of the scenario's
    /// arms.
    private static func standardArms(of scenario: Scenario) -> [Arm] {
        let usual = ["queue", "queue-wal", "pool"].compactMap { name in
            scenario.arms.first { $0.name == name }
        }
        return usual.count > 1 ? usual : scenario.arms
    }
}
