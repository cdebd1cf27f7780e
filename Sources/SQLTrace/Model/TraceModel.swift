import SQLiteWatch

/// What executions show of statements, transactions and waits.
struct TraceModel {
    /// Whether statements are shown with their literals.
    var showsLiterals = false
    /// The names of the schema, in lower case.
    var identifiers: Set<String> = [] {
        didSet { if oldValue != identifiers { texts = [:] } }
    }

    private(set) var statements = StatementTable()
    private(set) var transactions = TransactionTracker()
    private(set) var blocks = BlockTracker()
    private var texts: [String: (shown: String, keyword: TransactionKeyword)] = [:]

    private static let textCapacity = 8_192
    private static let textLimit = 4_096

    /// Records an execution.
    mutating func add(_ execution: StatementExecution) {
        let text = execution.sql.map { shown($0) }
        statements.add(execution, sql: text?.shown)
        blocks.add(execution, sql: text?.shown, transactions)
        transactions.add(execution, sql: text?.shown, keyword: text?.keyword ?? .other)
    }

    /// Ends the transactions of a process that has ended.
    mutating func end(process: Int32, at time: UInt64) {
        transactions.end(process: process, at: time)
    }

    /// Notes that nothing was recorded for a while: the open transactions may have ended.
    mutating func noteGap(at time: UInt64) {
        statements.isIncomplete = true
        transactions.forgetOpen()
        blocks.forget()
    }

    /// Notes that events were lost.
    mutating func noteLoss() { statements.isIncomplete = true }

    /// The statements; see ``StatementTable/report(elapsed:)``.
    mutating func statementReport(elapsed: Double) -> [WatchedStatement] {
        statements.report(elapsed: elapsed)
    }

    private mutating func shown(_ sql: String) -> (shown: String, keyword: TransactionKeyword) {
        if let known = texts[sql] { return known }
        let text =
            showsLiterals
            ? String(SecretKeys.redacted(sql).prefix(Self.textLimit))
            : StatementText.normalized(sql, identifiers: identifiers)
        let new = (text, TransactionKeyword(sql))
        if texts.count >= Self.textCapacity { texts = [:] }
        texts[sql] = new
        return new
    }
}
