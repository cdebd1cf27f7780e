import SQLText

/// A type that assembles the executions of each connection into transactions.
struct TransactionAssembler {
    /// The parts of the input that cannot be used.
    struct Leftovers: Equatable {
        /// The number of statements in transactions that began before the start of the input.
        var cutStatementCount = 0
        /// The number of transactions that were open at the end.
        var openTransactionCount = 0
        /// The number of transactions whose end is missing from the input.
        var missingEndCount = 0
        /// The number of failed statements, by result code.
        var failures: [Int: Int] = [:]
        /// The number of transactions that were open when the trace paused.
        var cutTransactionCount = 0
        /// The number of PRAGMA statements.
        var pragmaCount = 0
    }

    fileprivate struct Connection {
        var openTransaction: CapturedTransaction?
        var savepoint: String?
        /// The attempts to begin a transaction that failed because of a lock, or `nil` if the last
        /// one succeeded.
        var failedBegin: FailedBegin?
        /// The last execution, if it was a single statement that failed because of a lock.
        var failedStatement: CapturedTransaction?
        /// Whether the connection's state is known, because an execution has ended outside a
        /// transaction.
        var isStateKnown = false
    }

    /// Attempts to begin a transaction that failed because of a lock.
    fileprivate struct FailedBegin {
        var begin: CapturedTransaction.Begin
        /// The start of the first attempt and the end of the last one, in seconds.
        var start: Double
        var end: Double
        /// The number of attempts, and of those that closely followed another one.
        var count = 1
        var repetitionCount = 0

        /// Returns whether an attempt at a time continues these attempts.
        func continues(at time: Double) -> Bool {
            time - end <= TransactionAssembler.longestPause
        }
    }

    private var connections: [String: Connection] = [:]
    /// The transactions that never began, with their connections.
    private var abandoned: [(connection: String, attempts: FailedBegin)] = []
    /// The longest pause before a retry, in seconds.
    ///
    /// After a longer pause, the program had given up.
    fileprivate static let longestPause = 0.1
    /// Whether the input contains all executions of each connection, starting with the first.
    private let statesAreKnown: Bool
    private(set) var transactions: [CapturedTransaction] = []
    private(set) var leftovers = Leftovers()
    /// The durations of COMMIT at the end of writing transactions, in seconds.
    private(set) var commits = SampledNumbers()

    init(statesAreKnown: Bool = true) { self.statesAreKnown = statesAreKnown }

    /// Adds an execution.
    ///
    /// The executions of each connection must be added in order of their end times.
    mutating func add(_ execution: CapturedExecution, _ statement: NormalizedStatement) {
        let name = execution.connectionName
        var connection = connections[name] ?? Connection()
        defer { connections[name] = connection }
        let kind = SQLStatementKind(execution.sql)
        // The same statement again is a retry. Otherwise, the program gave up.
        if let failed = connection.failedStatement,
            failed.statements.last?.statement.key != statement.key
        {
            connection.failedStatement = nil
            transactions.append(failed)
        }
        if let attempts = connection.failedBegin, kind.abandons(attempts, at: execution.start) {
            abandoned.append((name, attempts))
            connection.failedBegin = nil
        }
        if kind.controlsTransaction {
            apply(
                kind,
                execution: execution,
                name: name,
                statement: statement,
                connection: &connection
            )
        } else {
            append(statement, execution: execution, name: name, connection: &connection)
        }
        finishIfAutocommit(execution, connection: &connection)
        let isOutside = connection.openTransaction == nil && execution.autocommit != false
        connection.isStateKnown = connection.isStateKnown || isOutside
    }

    /// Returns whether a statement failed with `SQLITE_BUSY` at once because its transaction had
    /// read, whatever the busy timeout.
    ///
    /// Call this method before adding the execution.
    func isUpgrade(_ execution: CapturedExecution, seconds: Double) -> Bool {
        let connection = connections[execution.connectionName]
        let hasRead = connection?.openTransaction?.statements.isEmpty == false
        return hasRead && seconds < Self.longestFailureAtOnce
    }

    /// The time below which a failure is not a wait, in seconds.
    private static let longestFailureAtOnce = 2e-3

    /// Discards the open transaction of a connection at a gap, because executions are missing.
    mutating func discardOpenTransaction(of connection: String) {
        let state = connections.removeValue(forKey: connection)
        if state?.openTransaction != nil { leftovers.cutTransactionCount += 1 }
    }

    /// Ends the input.
    ///
    /// Discards transactions that are still open, and counts them as leftovers.
    mutating func finish() {
        leftovers.openTransactionCount = connections.values.count { $0.openTransaction != nil }
        transactions += connections.values.compactMap(\.failedStatement)
        for (name, connection) in connections {
            if let attempts = connection.failedBegin { abandoned.append((name, attempts)) }
        }
        connections = [:]
        addAbandonedTransactions()
        transactions.sort { $0.start < $1.start }
    }

    private mutating func apply(
        _ control: SQLStatementKind,
        execution: CapturedExecution,
        name: String,
        statement: NormalizedStatement,
        connection: inout Connection
    ) {
        switch control {
        case .begin(let kind):
            let begin: CapturedTransaction.Begin =
                switch kind {
                case .deferred: .deferred
                case .immediate: .immediate
                case .exclusive: .exclusive
                }
            guard execution.succeeded else {
                if execution.wasBusy { connection.noteFailure(of: begin, execution) }
                return
            }
            self.begin(begin, execution: execution, name: name, connection: &connection)
        case .savepoint(let savepoint) where connection.openTransaction == nil:
            guard execution.succeeded else { return }
            begin(.savepoint, execution: execution, name: name, connection: &connection)
            connection.savepoint = savepoint.lowercased()
        case .commit:
            end(execution, outcome: .committed, connection: &connection)
        case .release(let savepoint) where connection.savepoint == savepoint.lowercased():
            end(execution, outcome: .committed, connection: &connection)
        case .rollback:
            end(execution, outcome: .rolledBack, connection: &connection)
        default:
            append(statement, execution: execution, name: name, connection: &connection)
        }
    }

    private mutating func begin(
        _ kind: CapturedTransaction.Begin,
        execution: CapturedExecution,
        name: String,
        connection: inout Connection
    ) {
        // BEGIN fails inside a transaction. Because this BEGIN succeeded, the previous transaction
        // has ended, but its end is not in the input.
        if connection.openTransaction != nil { leftovers.missingEndCount += 1 }
        var transaction = CapturedTransaction(
            connection: name,
            begin: kind,
            start: execution.start,
            end: execution.end
        )
        if let attempts = connection.failedBegin {
            transaction.busyCount = attempts.count
            transaction.retryCount = attempts.repetitionCount + 1
        }
        transaction.beginSeconds = execution.seconds
        connection.failedBegin = nil
        connection.openTransaction = transaction
        connection.savepoint = nil
    }

    private mutating func end(
        _ execution: CapturedExecution,
        outcome: CapturedTransaction.Outcome,
        connection: inout Connection
    ) {
        guard var transaction = connection.openTransaction else {
            // The statement rolls back after a failed BEGIN, or ends a transaction that began
            // before the input.
            return
        }
        guard execution.succeeded else {
            // COMMIT can be retried after SQLITE_BUSY.
            if execution.wasBusy {
                transaction.busyCount += 1
                transaction.retryCount += 1
            }
            connection.openTransaction = transaction
            return
        }
        if outcome == .committed, transaction.writes, let seconds = execution.seconds {
            commits.add(seconds)
        }
        transaction.gaps.append(execution.gap(since: transaction.end))
        transaction.end = execution.end
        transaction.endSeconds = execution.seconds
        transaction.endTraceSeconds = execution.traceSeconds
        if outcome == .rolledBack {
            let last = transaction.statements.last
            transaction.outcome = last?.isBusy == true ? .busy : .rolledBack
        }
        connection.openTransaction = nil
        connection.savepoint = nil
        if !transaction.statements.isEmpty { transactions.append(transaction) }
    }

    private mutating func append(
        _ statement: NormalizedStatement,
        execution: CapturedExecution,
        name: String,
        connection: inout Connection
    ) {
        if statement.verb == "PRAGMA" {
            leftovers.pragmaCount += 1
            return
        }
        guard execution.succeeded || execution.wasBusy else {
            leftovers.failures[execution.code & 0xff, default: 0] += 1
            return
        }
        let item = CapturedTransaction.Statement(
            statement: statement,
            start: execution.start,
            end: execution.end,
            seconds: execution.seconds,
            rows: execution.rows,
            isBusy: execution.wasBusy,
            values: execution.values,
            traceSeconds: execution.traceSeconds
        )
        // A library may begin a transaction without a statement in the input.
        if connection.openTransaction == nil, execution.autocommit == false {
            guard statesAreKnown || connection.isStateKnown else {
                leftovers.cutStatementCount += 1
                return
            }
            begin(.deferred, execution: execution, name: name, connection: &connection)
            connection.openTransaction?.end = execution.start
            connection.openTransaction?.beginsImplicitly = true
        }
        guard var transaction = connection.openTransaction else {
            var singleStatementTransaction = CapturedTransaction(
                connection: name,
                begin: .autocommit,
                start: connection.failedStatement?.start ?? item.start,
                end: item.end
            )
            if let failed = connection.failedStatement {
                singleStatementTransaction.retryCount = failed.retryCount + 1
            }
            singleStatementTransaction.firstStep = execution.firstStep
            singleStatementTransaction.statements = [item]
            singleStatementTransaction.busyCount =
                connection.failedStatement?.busyCount ?? 0
            singleStatementTransaction.isTimed = item.seconds != nil
            singleStatementTransaction.waited = execution.waited ?? 0
            singleStatementTransaction.beginSeconds = item.seconds
            connection.failedStatement = nil
            guard !execution.wasBusy else {
                singleStatementTransaction.busyCount += 1
                singleStatementTransaction.outcome = .busy
                connection.failedStatement = singleStatementTransaction
                return
            }
            transactions.append(singleStatementTransaction)
            return
        }
        if item.isBusy { transaction.busyCount += 1 }
        transaction.gaps.append(execution.gap(since: transaction.end))
        transaction.end = item.end
        transaction.isTimed = transaction.isTimed && item.seconds != nil
        // Count a statement only once if it is retried after SQLITE_BUSY.
        if let last = transaction.statements.last, last.isBusy, last.statement.key == statement.key
        {
            transaction.retryCount += 1
            transaction.statements.removeLast()
            let lastGap = transaction.gaps.removeLast()
            if let gap = transaction.gaps.popLast() { transaction.gaps.append(gap + lastGap) }
        }
        transaction.statements.append(item)
        connection.openTransaction = transaction
    }

    /// Ends the open transaction if the connection has returned to autocommit mode, for example
    /// because an error rolled the transaction back.
    private mutating func finishIfAutocommit(
        _ execution: CapturedExecution,
        connection: inout Connection
    ) {
        guard execution.autocommit == true, var transaction = connection.openTransaction else {
            return
        }
        transaction.outcome = execution.wasBusy ? .busy : execution.succeeded ? .committed : .failed
        transaction.gaps.append(0)
        transaction.endSeconds = 0
        connection.openTransaction = nil
        connection.savepoint = nil
        if !transaction.statements.isEmpty { transactions.append(transaction) }
    }
}

extension TransactionAssembler {
    /// Adds the transactions that never began because of a lock.
    ///
    /// Their statements are unknown. They count as failures of the shape that most often begins in
    /// the same way on the same connection or, if there is none, on any connection.
    private mutating func addAbandonedTransactions() {
        guard !abandoned.isEmpty else { return }
        var counts: [[String]: [[String]: (count: Int, first: Int)]] = [:]
        for (index, transaction) in transactions.enumerated()
        where transaction.begin != .autocommit && !transaction.beginsImplicitly {
            let shape = transaction.statements.map(\.statement.key)
            for scope in [transaction.connection, ""] {
                let key = [scope, transaction.begin.rawValue]
                counts[key, default: [:]][shape, default: (0, index)].count += 1
            }
        }
        let likely = counts.compactMapValues { shapes in
            shapes.values.max { ($0.count, $1.first) < ($1.count, $0.first) }?.first
        }
        for (name, attempts) in abandoned {
            let begin = attempts.begin.rawValue
            guard let index = likely[[name, begin]] ?? likely[["", begin]] else {
                leftovers.failures[5, default: 0] += attempts.count
                continue
            }
            var transaction = CapturedTransaction(
                connection: name,
                begin: attempts.begin,
                start: attempts.start,
                end: attempts.end
            )
            transaction.outcome = .busy
            transaction.neverBegan = true
            transaction.statements = transactions[index].statements
            transaction.busyCount = attempts.count
            transaction.retryCount = attempts.repetitionCount
            transaction.beginSeconds = attempts.end - attempts.start
            transactions.append(transaction)
        }
    }
}

extension TransactionAssembler.Connection {
    /// Counts an attempt to begin a transaction that failed because of a lock.
    fileprivate mutating func noteFailure(
        of begin: CapturedTransaction.Begin,
        _ execution: CapturedExecution
    ) {
        guard failedBegin != nil else {
            failedBegin = TransactionAssembler.FailedBegin(
                begin: begin,
                start: execution.start,
                end: execution.end
            )
            return
        }
        failedBegin?.count += 1
        failedBegin?.repetitionCount += 1
        failedBegin?.end = execution.end
    }
}

extension SQLStatementKind {
    /// Returns whether a statement shows that the program gave up beginning a transaction.
    ///
    /// After a longer pause, another BEGIN is a new attempt. A ROLLBACK after the failure, or a
    /// PRAGMA, shows nothing.
    fileprivate func abandons(
        _ attempts: TransactionAssembler.FailedBegin,
        at time: Double
    ) -> Bool {
        switch self {
        case .begin: !attempts.continues(at: time)
        case .rollback, .pragma: false
        default: true
        }
    }
}
