/// An analysis of a captured load: its transaction shapes, its clients, and their pace.
package struct CaptureAnalysis {
    /// The shapes, in order of appearance.
    let shapes: [ShapeStatistics]
    let clients: [CapturedClient]
    let leftovers: TransactionAssembler.Leftovers
    /// The period from the start of the first transaction to the end of the last, in seconds of
    /// recorded time.
    let span: ClosedRange<Double>
    /// Whether most of the time between statements is spent waiting for a processor.
    let isMachineBusy: Bool
    package let executionCount: Int
    /// The share of the transactions' time that the trace needed, from 0 to 1, as an estimate.
    let traceShare: Double
    /// The settings, by the lowercase names of their pragmas: those in force on the connections, or
    /// if they are not known, those set by PRAGMA statements.
    let settings: [String: CapturedPrograms.Setting]
    /// The names of the programs of each connection.
    let programs: [String: String]
    /// The wait times of statements that failed with `SQLITE_BUSY`, in seconds, except those whose
    /// transaction had read, because SQLite does not wait for these.
    let busyWaits: SampledNumbers
    /// The durations of COMMIT at the end of writing transactions, in seconds.
    let commits: SampledNumbers
    /// The number of statements that refer to each missing table.
    let missingTables: [String: Int]

    /// The number of read transactions whose statements became transactions of their own.
    let dividedCount: Int

    /// The number of statements that this module cannot parse.
    let unreadableStatementCount: Int

    /// Whether a process had probes only in windows, so that its executions are repeated.
    let isSampled: Bool
    /// The duration of the capture, in seconds.
    package var duration: Double { max(span.upperBound - span.lowerBound, 1e-9) }

    /// Analyzes executions.
    ///
    /// - Parameters:
    ///   - executions: The executions, ordered by end time for each connection.
    ///   - schema: The tables of the database.
    ///   - file: The name of the input, for messages, or `nil` for a live trace.
    ///   - competition: The extent to which the programs competed for processors.
    ///   - gaps: The periods when a live trace recorded nothing of a process, in seconds.
    ///   - period: The time of the live trace, in seconds, or `nil` for other input.
    ///   - programs: What else is known about the programs.
    /// - Throws: ``CaptureError`` if the input contains no load.
    package init(
        _ executions: [CapturedExecution],
        schema: CaptureSchema,
        file: String? = nil,
        competition: ProcessorCompetition = ProcessorCompetition(),
        gaps: [Int: [ClosedRange<Double>]] = [:],
        period: ClosedRange<Double>? = nil,
        programs: CapturedPrograms = CapturedPrograms()
    ) throws(CaptureError) {
        var executions = executions
        var recorded: ClosedRange<Double>?
        if let period, !gaps.isEmpty {
            let filled = TraceGaps(gaps, in: period).filled(executions)
            (executions, recorded) = (filled.executions, filled.period)
        }
        isSampled = recorded != nil
        var pieces: [String: Int] = [:]
        var reader = StatementReader(schema: schema)
        var assembler = TransactionAssembler(statesAreKnown: file != nil)
        var pragmas: [String: String] = [:]
        var waits = SampledNumbers()
        var missing: [String: Int] = [:]
        var knownTableCount = 0
        var unreadableStatementCount = 0
        for execution in executions {
            if execution.piece > 0 {
                let connection = execution.connectionName
                let piece = pieces.updateValue(execution.piece, forKey: connection)
                if piece ?? execution.piece < execution.piece {
                    assembler.discardOpenTransaction(of: connection)
                }
            }
            let statement: NormalizedStatement
            do {
                statement = try reader.statement(of: execution.sql)
            } catch {
                // Ignore an unreadable statement if SQLite also rejected it, or if it comes from a
                // live trace, which has no line for the user to correct.
                guard execution.succeeded, file != nil else {
                    unreadableStatementCount += 1
                    continue
                }
                throw CaptureError(
                    "this is not an SQLite statement: \(error.message); remove the line, or write "
                        + "the statement as it was prepared",
                    file: file,
                    line: execution.line
                )
            }
            if statement.verb == "PRAGMA" {
                pragmas.merge(PragmaSetting.setting(in: execution.sql)) { $1 }
            }
            if execution.wasBusy, let seconds = execution.seconds ?? execution.waited,
                !assembler.isUpgrade(execution, seconds: seconds)
            {
                waits.add(seconds)
            }
            for table in statement.missingTables { missing[table, default: 0] += 1 }
            if statement.missingTables.isEmpty, statement.table != nil { knownTableCount += 1 }
            assembler.add(execution, statement)
        }
        assembler.finish()
        try Self.check(assembler, missing: missing, knownTableCount: knownTableCount, file: file)
        var settings = pragmas.mapValues {
            CapturedPrograms.Setting(value: $0, reason: "set by PRAGMA")
        }
        let writes = assembler.transactions.reduce(into: [String: Int]()) {
            if $1.writes { $0[$1.connection, default: 0] += 1 }
        }
        for name in PragmaSetting.repeatable {
            let isOfWrites = PragmaSetting.settingsOfWrites.contains(name)
            settings[name] =
                programs.setting(name, writes: isOfWrites ? writes : [:]) ?? settings[name]
        }
        self.settings = settings
        let names = programs.shortNames(of: Set(executions.map(\.process)))
        self.programs = executions.reduce(into: [:]) { $0[$1.connectionName] = names[$1.process] }
        let traced = executions.reduce(0) { $0 + $1.traceSeconds }
        let whole = assembler.transactions.reduce(0) { $0 + max(0, $1.end - $1.start) }
        traceShare = traced / max(whole, traced, 1e-9)
        busyWaits = waits
        commits = assembler.commits
        missingTables = missing
        self.unreadableStatementCount = unreadableStatementCount
        leftovers = assembler.leftovers
        executionCount = executions.count
        // Settings and attempts before the first transaction are not part of the load.
        let first = assembler.transactions.reduce(.infinity) { min($0, $1.start) }
        let last = assembler.transactions.reduce(first) { max($0, $1.end) }
        // The windows of a trace do not begin and end with executions.
        span = min(first, recorded?.lowerBound ?? first)...max(last, recorded?.upperBound ?? last)
        isMachineBusy = competition.explains(
            Self.pauses(of: assembler.transactions),
            in: max(span.upperBound - span.lowerBound, 1e-9)
        )
        let (transactions, count) = CapturedTransaction.dividingRareReads(
            in: assembler.transactions
        )
        dividedCount = count
        (shapes, clients) = Self.group(
            transactions,
            span: span,
            isMachineBusy: isMachineBusy,
            programs: self.programs
        )
    }

    /// Returns an estimate of the time between statements, summed over all connections, in seconds.
    ///
    /// The time before a statement of unknown duration includes that duration, so the estimate uses
    /// the mean of the other times.
    private static func pauses(of transactions: [CapturedTransaction]) -> Double {
        var ends: [String: Double] = [:]
        var outside = 0.0
        var inside = SampledNumbers()
        var count = 0
        for transaction in transactions {
            for (gap, statement) in zip(transaction.gaps, transaction.statements) {
                count += 1
                if statement.seconds != nil { inside.add(gap) }
            }
            if let end = ends[transaction.connection] {
                outside += max(0, transaction.start - end)
            }
            ends[transaction.connection] = transaction.end
        }
        return outside + inside.mean * Double(count)
    }

    private static func check(
        _ assembler: TransactionAssembler,
        missing: [String: Int],
        knownTableCount: Int,
        file: String?
    ) throws(CaptureError) {
        let missingTableCount = missing.values.reduce(0, +)
        if missingTableCount > knownTableCount,
            let table = missing.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })
        {
            throw CaptureError(
                "most statements refer to tables that the database does not have, such as "
                    + "'\(table.key)'; specify the database that the program uses",
                file: file
            )
        }
        let leftovers = assembler.leftovers
        let unfinishedCount = leftovers.openTransactionCount + leftovers.missingEndCount
        if unfinishedCount > assembler.transactions.count {
            throw CaptureError(
                "\(unfinishedCount) of \(unfinishedCount + assembler.transactions.count) transactions "
                    + "have no end; the input must also contain COMMIT and ROLLBACK",
                file: file
            )
        }
        if assembler.transactions.isEmpty {
            throw CaptureError(
                "no statement reads or writes a table; the input must contain the program's "
                    + "statements, not only those that begin and end transactions",
                file: file
            )
        }
    }

    private static func group(
        _ transactions: [CapturedTransaction],
        span: ClosedRange<Double>,
        isMachineBusy: Bool,
        programs: [String: String]
    ) -> ([ShapeStatistics], [CapturedClient]) {
        var numbers: [String: Int] = [:]
        var shapeIndexes: [TransactionShape: Int] = [:]
        var shapes: [ShapeStatistics] = []
        var connections: [String: Int] = [:]
        var visits: [Visit] = []
        var untimed: [(index: Int, isAlone: Bool, waited: Double)] = []
        for transaction in transactions {
            let statements = transaction.statements.map { item in
                let next = numbers.count
                let number = numbers[item.statement.key] ?? next
                numbers[item.statement.key] = number
                return number
            }
            let occurrences = TransactionShape.occurrences(of: statements)
            let shape = TransactionShape(begin: transaction.begin, parts: occurrences.map(\.part))
            let shapeIndex = shapeIndexes[shape] ?? shapes.count
            if shapeIndex == shapes.count {
                shapeIndexes[shape] = shapeIndex
                shapes.append(ShapeStatistics(shape, transaction, occurrences))
            }
            shapes[shapeIndex].add(transaction, occurrences)
            let next = connections.count
            let connection = connections[transaction.connection] ?? next
            connections[transaction.connection] = connection
            if transaction.beginSeconds == nil {
                let isAlone = transaction.begin == .autocommit
                untimed.append((visits.count, isAlone, transaction.waited))
            }
            let start = transaction.firstStep ?? transaction.start
            var end = transaction.end
            // A program may leave a statement unfinished until it needs the next one. That time is a
            // pause of the program.
            if transaction.begin == .autocommit, let seconds = transaction.statements.first?.seconds
            {
                end = min(end, start + seconds)
            }
            visits.append(
                Visit(
                    connection: connection,
                    shape: shapeIndex,
                    start: start,
                    end: end,
                    startIsKnown: transaction.beginSeconds != nil
                )
            )
        }
        // A trace may time only some executions, so estimate the other durations from the mean of
        // the known durations. Waits for locks are known for all executions.
        var unknownDurationCount = 0
        for (index, isAlone, waited) in untimed {
            let shape = shapes[visits[index].shape]
            if !isAlone {
                visits[index].start -= shape.begins.quantile(0.5)
            } else if shape.isTimed {
                visits[index].start = visits[index].end - waited - shape.activeDurations.mean
            } else {
                unknownDurationCount += 1
            }
        }
        if !untimed.isEmpty { visits.sort { $0.start < $1.start } }
        let clients = ClientInference(
            visits: visits,
            span: span,
            isTimed: unknownDurationCount * 10 <= visits.count,
            writingShapes: Set(shapes.indices.filter { shapes[$0].writes }),
            isMachineBusy: isMachineBusy,
            programs: Dictionary(
                uniqueKeysWithValues: connections.compactMap { name, number in
                    programs[name].map { (number, $0) }
                }
            )
        ).clients()
        return (shapes, clients)
    }
}

/// A reader that normalizes statements and caches the results for repeated statements.
private struct StatementReader {
    /// The maximum number of statements to cache.
    ///
    /// Statements with different literals are cached separately.
    private static let capacity = 20_000

    let schema: CaptureSchema
    private var cache: [String: NormalizedStatement] = [:]

    init(schema: CaptureSchema) { self.schema = schema }

    mutating func statement(of sql: String) throws(StatementParser.Failure) -> NormalizedStatement {
        if let statement = cache[sql] { return statement }
        let statement = try StatementParser.parse(sql, schema: schema)
        if cache.count < Self.capacity { cache[sql] = statement }
        return statement
    }
}

package struct CaptureOptions: Sendable {
    /// Whether to keep literals that are the same in all executions of a statement, if there are at
    /// least ``minimumCount`` executions.
    package var showsLiterals = false
    /// Whether to fit distributions to observed values and show frequent values.
    package var showsValues = false
    /// The number of times that a value must occur to be shown.
    package var minimumCount = 5
    package var name = "captured"
    /// The words of the database's full-text indexes.
    package var words = FullTextWords()
    /// The path of the database, as it appears in the scenario.
    package var database: String
    /// The journal mode in the database's header.
    package var journal: String
    /// The source of the capture, such as a file's name.
    package var origin: String

    /// The limitations of the capture, one sentence each.
    package var notes: [String] = []
    /// The number of commits that changed the database during the capture, counted independently of
    /// the trace, or `nil` if unknown.
    package var observedCommits: Int?

    /// The time that syncing a file takes on this machine, in seconds, or `nil` if unknown.
    package var syncSeconds: Double?

    package init(database: String, journal: String = "delete", origin: String = "a program") {
        self.database = database
        self.journal = journal
        self.origin = origin
    }
}
