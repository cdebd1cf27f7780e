import Text

package struct CapturedScenario {
    package let yaml: String
    /// A client that paces itself or follows a schedule.
    struct Client: Sendable {
        var name: String
        var workers: Int
        /// The mean pause between two transactions of a worker, in seconds, or `nil` without one.
        var thinkSeconds: Double?
    }

    let clients: [Client]
    /// The operations, grouped by client.
    package let operations: [Operation]
    /// The parts of the load that the scenario does not model, one sentence each.
    package let omissions: [String]
    /// The share of the captured time when transactions wrote or held a write lock.
    package let writeShare: Double
    /// The name of the arm with the captured program's settings.
    package static let presentArm = "present"
    /// The share of the transactions' time that a trace needs from which the scenario says so.
    private static let largeTraceShare = 0.1

    package struct Operation: Sendable {
        package var client: String
        package var name: String
        /// The number of transactions per second.
        package var rate: Double
        /// The transactions' mean duration, in seconds, or `nil` if unknown.
        package var meanSeconds: Double?
        /// The number of captured transactions.
        var count: Double
        /// The ratio of the standard deviation of the durations to their mean.
        var variation: Double
        /// The transactions' median duration, in seconds, or `nil` if unknown.
        package var medianSeconds: Double?
        /// The 99th percentile of the durations, in seconds, or `nil` if it is unknown or if there
        /// are fewer than 1,000 transactions.
        package var p99Seconds: Double?
        /// The mean number of rows per transaction, or `nil` if unknown.
        package var rows: Double?
        /// The ratio of the standard deviation of the numbers of rows to their mean.
        var rowVariation = 0.0
        /// The mean number of lock failures per transaction.
        package var busyShare: Double
        package var writes: Bool
        /// The share of the transactions' time from the first writing statement, or a locking BEGIN,
        /// to the end.
        package var writeShare: Double
        /// The mean time of the pauses in a transaction of the scenario, in seconds.
        var pauseSeconds: Double
        /// The number of pauses in a transaction of the scenario.
        var pauseCount: Int
        /// The statements in the scenario, with the number of executions per transaction.
        package var statements: [(sql: String, count: Int)]
        /// The normalized statements, for display.
        package var summary: String
        var values = OperationValues()
        /// Whether each statement returns a row for each row that it finds.
        var returnsFoundRows = false
        /// Whether the operation takes less than 1% of the time, of the time with a write lock, and of
        /// the failures.
        var isRare = false
    }

    /// Plans the scenario for a load.
    ///
    /// - Parameters:
    ///   - analysis: The load.
    ///   - schema: The tables of the database.
    ///   - options: How to present the load.
    ///   - adjustment: Corrections after a check.
    /// - Throws: ``CaptureError`` if no part of the load can be repeated.
    package init(
        _ analysis: CaptureAnalysis,
        schema: CaptureSchema,
        options: CaptureOptions,
        adjustment: FidelityAdjustment = FidelityAdjustment()
    ) throws(CaptureError) {
        var planner = OperationPlanner(
            schema: schema,
            options: options,
            isMachineBusy: analysis.isMachineBusy,
            adjustment: adjustment,
            programs: analysis.programs
        )
        let choice = ShapeChoice(analysis)
        guard !choice.modeled.isEmpty else {
            throw CaptureError(
                "no part of the load can be repeated: \(choice.omissions.joined(separator: "; "))"
            )
        }
        var planned: [Int: PlannedOperation] = [:]
        for shape in choice.modeled {
            planned[shape] = planner.plan(analysis.shapes[shape], number: shape)
        }
        let clients = ClientPlanner(analysis, planned: planned).clients()
            .map { $0.adjusted(adjustment) }
        let arms = CapturedArms(analysis, options: options).arms
        var omissions = choice.omissions
        omissions += Self.problems(of: planned.values.sorted { $0.shape < $1.shape })
        omissions += Self.generalOmissions(analysis)
        omissions += options.notes
        // The number of transactions in periods without probes is an estimate.
        if let observed = options.observedCommits, !analysis.isSampled {
            omissions += Self.commitDifference(analysis, observed: observed)
        }
        self.omissions = omissions
        writeShare =
            choice.modeled.reduce(0) { $0 + analysis.shapes[$1].writeSeconds } / analysis.duration
        self.clients = clients.map { client in
            var thinkSeconds: Double?
            if case .closed(let pause?) = client.pace { thinkSeconds = pause.mean }
            return Client(name: client.name, workers: client.workers, thinkSeconds: thinkSeconds)
        }
        operations = clients.flatMap { client in
            client.operations.map { Self.operation($0, of: client.name, analysis: analysis) }
        }
        yaml =
            ScenarioText(
                analysis: analysis,
                options: options,
                clients: clients,
                arms: arms,
                variables: planner.variables.entries,
                omissions: omissions
            ).text
    }

    /// Compares the number of commits that the database counted with the captured transactions.
    ///
    /// The number of commits excludes rollbacks and transactions that write without changing a
    /// page.
    private static func commitDifference(
        _ analysis: CaptureAnalysis,
        observed: Int
    ) -> [String] {
        let captured = analysis.shapes.filter(\.writes)
            .reduce(0) { $0 + ($1.outcomes[.committed] ?? 0) }
        let larger = max(captured, observed)
        guard larger > 0, abs(captured - observed) * 20 > larger else { return [] }
        return [
            "the database counted \(HumanUnits.exact(observed, "commit")), but the capture "
                + "contains \(HumanUnits.exact(captured, "transaction")) that wrote; the others "
                + "changed nothing or were not traced"
        ]
    }

    private static func problems(of operations: [PlannedOperation]) -> [String] {
        operations.filter { !$0.problems.isEmpty }.map { operation in
            "\(operation.name): \(operation.problems.joined(separator: "; "))"
        }
    }

    private static func generalOmissions(_ analysis: CaptureAnalysis) -> [String] {
        var omissions: [String] = []
        let leftovers = analysis.leftovers
        if leftovers.cutStatementCount > 0 {
            omissions.append(
                "\(HumanUnits.exact(leftovers.cutStatementCount, "statement")) of transactions that began "
                    + "before the capture"
            )
        }
        let unfinishedCount = leftovers.openTransactionCount + leftovers.missingEndCount
        if unfinishedCount > 0 {
            omissions.append(
                "\(HumanUnits.exact(unfinishedCount, "transaction")) whose end is not captured"
            )
        }
        if leftovers.cutTransactionCount > 0 {
            omissions.append(
                "\(HumanUnits.exact(leftovers.cutTransactionCount, "transaction")) during which the trace paused"
            )
        }
        for (code, count) in leftovers.failures.sorted(by: { $0.key < $1.key }) {
            omissions.append(
                "\(HumanUnits.exact(count, "statement")) that failed with result code \(code)"
            )
        }
        if analysis.unreadableStatementCount > 0 {
            omissions.append(
                "\(HumanUnits.exact(analysis.unreadableStatementCount, "statement")) whose text "
                    + "cannot be read"
            )
        }
        if leftovers.pragmaCount > 0 {
            omissions.append(
                "\(HumanUnits.exact(leftovers.pragmaCount, "PRAGMA statement")); settings among them are in "
                    + "the arms"
            )
        }
        let tables = analysis.missingTables.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if !tables.isEmpty {
            let names = tables.prefix(3).map { "'\($0.key)'" }.joined(separator: ", ")
            omissions.append("statements on tables that the database does not have: \(names)")
        }
        if analysis.traceShare >= Self.largeTraceShare {
            omissions.append(
                "the trace needed about \(ReportUnits.compactShare(analysis.traceShare)) of the time of "
                    + "the transactions, so a program without pauses is faster without it; "
                    + "`capture … -- COMMAND` starts the program with a trace that needs less"
            )
        }
        omissions += beginOmissions(analysis)
        omissions.append("the opening and closing of connections")
        omissions.append("the order of different transactions on one connection")
        return omissions
    }

    /// Returns the omissions for transactions that the scenario begins differently.
    private static func beginOmissions(_ analysis: CaptureAnalysis) -> [String] {
        var omissions: [String] = []
        let withoutBegin = analysis.shapes.filter { $0.shape.begin == .autocommit }
        if !withoutBegin.isEmpty {
            let count = HumanUnits.exact(withoutBegin.reduce(0) { $0 + $1.count }, "statement")
            omissions.append(
                "\(count) ran without BEGIN; the scenario runs every such statement in its own "
                    + "transaction"
            )
        }
        if analysis.dividedCount > 0 {
            let count = HumanUnits.exact(analysis.dividedCount, "transaction")
            omissions.append(
                "\(count) of several reads, each of which the connection mostly runs alone; the scenario "
                    + "runs them one by one"
            )
        }
        let begin = CapturedArms.begin(analysis)
        let otherShapes = analysis.shapes.filter { shape in
            shape.writes && shape.shape.begin != .autocommit
                && (shape.shape.begin == .savepoint ? "deferred" : shape.shape.begin.rawValue)
                    != begin.rawValue
        }
        if !otherShapes.isEmpty {
            let count = HumanUnits.exact(otherShapes.reduce(0) { $0 + $1.count }, "transaction")
            omissions.append(
                "\(count) began with another kind of BEGIN; the scenario uses \(begin.rawValue) for all"
            )
        }
        return omissions
    }

    private static func operation(
        _ planned: ClientPlanner.Share,
        of client: String,
        analysis: CaptureAnalysis
    ) -> Operation {
        let shape = analysis.shapes[planned.operation.shape]
        let hasRowCounts = shape.rows.allSatisfy { $0.count > 0 }
        return Operation(
            client: client,
            name: planned.operation.name,
            rate: Double(planned.count) / analysis.duration,
            meanSeconds: shape.isTimed ? shape.durations.mean : nil,
            count: Double(planned.count),
            variation: shape.durations.variation,
            medianSeconds: shape.isTimed ? shape.durations.quantile(0.5) : nil,
            p99Seconds: shape.isTimed && shape.count >= 1000 ? shape.durations.quantile(0.99) : nil,
            rows: hasRowCounts ? shape.meanRows : nil,
            rowVariation: shape.rowVariation,
            busyShare: Double(shape.busyCount) / Double(max(1, shape.count)),
            writes: shape.writes,
            writeShare: shape.totalSeconds > 0
                ? min(1, shape.writeSeconds / shape.totalSeconds) : 1,
            pauseSeconds: planned.operation.steps.pauseSeconds,
            pauseCount: planned.operation.steps.pauseCount,
            statements: planned.operation.statements,
            summary: shape.positions.map(\.key).joined(separator: "; "),
            values: planned.operation.values,
            returnsFoundRows: shape.positions.allSatisfy {
                $0.returnsFoundRows && !$0.key.split(separator: " ").contains("LIMIT")
            },
            isRare: ShapeChoice.isRare(shape, of: analysis)
        )
    }
}
