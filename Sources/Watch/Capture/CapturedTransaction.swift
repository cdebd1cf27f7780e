import Scenarios

/// A connection's transaction, from its BEGIN to its end, or a single statement outside a
/// transaction.
struct CapturedTransaction {
    enum Begin: String, Sendable, CaseIterable {
        /// A single statement without BEGIN.
        case autocommit
        case deferred, immediate, exclusive
        /// A SAVEPOINT outside a transaction, which begins a deferred transaction.
        case savepoint
    }

    enum Outcome: String, Sendable, CaseIterable {
        case committed, rolledBack
        /// A failure caused by another connection's lock.
        case busy
        case failed
    }

    struct Statement {
        var statement: NormalizedStatement
        var start: Double
        var end: Double
        var seconds: Double?
        var rows: Int?
        var isBusy: Bool
        var values: [WorkloadValue]
        /// The time by which a trace delayed the end, in seconds.
        var traceSeconds = 0.0
    }

    /// The process and name of the connection.
    var connection: String
    var begin: Begin
    var outcome = Outcome.committed
    /// The start of the first statement, including BEGIN, in seconds.
    var start: Double
    /// The start of the first step, which precedes ``start`` by the cost of a trace, or `nil` if it
    /// equals ``start``.
    var firstStep: Double?
    /// The end of the last statement, including COMMIT, in seconds.
    var end: Double
    /// The statements, excluding BEGIN, COMMIT, and ROLLBACK.
    var statements: [Statement] = []
    /// The times between statements, in seconds.
    ///
    /// The first time follows BEGIN, and the last one precedes COMMIT. The array is empty for a
    /// transaction without BEGIN.
    var gaps: [Double] = []
    /// The duration of the statement that began the transaction, in seconds, or `nil` if unknown.
    var beginSeconds: Double?
    /// The duration of the statement that ended the transaction, in seconds, or `nil` if unknown.
    var endSeconds: Double?
    /// The time by which a trace delayed the end of the statement that ended the transaction, in
    /// seconds.
    var endTraceSeconds = 0.0
    /// The number of times that BEGIN and the statements failed because of a lock.
    var busyCount = 0
    /// The number of times that BEGIN or a statement was repeated after it failed because of a
    /// lock.
    var retryCount = 0
    var isTimed = true
    /// The time that a single statement outside a transaction waited for locks, in seconds.
    var waited = 0.0
    /// Whether a library began the transaction without a statement in the input.
    var beginsImplicitly = false
    /// Whether BEGIN failed because of a lock, and the program gave up.
    ///
    /// The statements are then those of a similar transaction.
    var neverBegan = false

    /// The duration, in seconds.
    var duration: Double {
        duration(from: start, after: begin == .autocommit || beginsImplicitly ? 0 : -1)
    }

    /// The duration from the first writing statement or a locking BEGIN, in seconds.
    var writeDuration: Double {
        if begin == .immediate || begin == .exclusive { return duration }
        let index = statements.firstIndex {
            !$0.statement.isReadOnly && $0.statement.isChange
        }
        return index.map { duration(from: statements[$0].start, after: $0) } ?? duration
    }

    /// Returns the time from the start of a statement to the end, without the cost of a trace.
    ///
    /// The start of the statement, which is that of BEGIN for the index -1, excludes the cost of the
    /// trace in it.
    private func duration(from start: Double, after index: Int) -> Double {
        let rest = statements.dropFirst(index + 1)
        let trace = rest.reduce(endTraceSeconds) { $0 + $1.traceSeconds }
        // The cost is an estimate.
        let known = rest.reduce(endSeconds ?? 0) { $0 + ($1.seconds ?? 0) }
        let elapsed = max(0, end - start)
        return max(elapsed - trace, min(known, elapsed))
    }

    /// Whether the transaction writes or locks the database for writing.
    var writes: Bool {
        begin == .immediate || begin == .exclusive
            || statements.contains { !$0.statement.isReadOnly && $0.statement.isChange }
    }
}

extension NormalizedStatement {
    /// Whether the statement changes data.
    ///
    /// Savepoint statements do not change data.
    var isChange: Bool { !["SAVEPOINT", "RELEASE", "ROLLBACK"].contains(verb) }
}

extension CapturedTransaction {
    /// The longest time between the statements of a transaction to divide, in seconds.
    private static let longestIdleTime = 0.01
    /// The share of a statement's executions in transactions to divide.
    private static let rareShare = 0.1

    private struct Read: Hashable {
        var connection: String
        var statement: String
    }

    /// Divides rare transactions whose statements the connection otherwise reads one by one.
    ///
    /// A library may keep a connection's read transaction open between two accesses that closely follow
    /// each other, so chance makes them one transaction.
    ///
    /// - Returns: The transactions, ordered by start time, and the number of those that were divided.
    static func dividingRareReads(
        in transactions: [CapturedTransaction]
    ) -> (transactions: [CapturedTransaction], count: Int) {
        var alone: [Read: Int] = [:]
        var together: [Read: Int] = [:]
        for transaction in transactions where transaction.isShortRead {
            let isAlone = transaction.statements.count == 1
            for read in transaction.reads {
                if isAlone { alone[read, default: 0] += 1 } else { together[read, default: 0] += 1 }
            }
        }
        guard !alone.isEmpty, !together.isEmpty else { return (transactions, 0) }
        var count = 0
        var result: [CapturedTransaction] = []
        for transaction in transactions {
            guard transaction.isShortRead, transaction.statements.count > 1,
                transaction.reads.allSatisfy({ read in
                    Double(together[read] ?? 0) <= Self.rareShare * Double(alone[read] ?? 0)
                })
            else {
                result.append(transaction)
                continue
            }
            count += 1
            result += transaction.divided
        }
        if count > 0 { result.sort { $0.start < $1.start } }
        return (result, count)
    }

    private var isShortRead: Bool {
        begin == .deferred && !beginsImplicitly && !neverBegan && outcome == .committed && !writes
            && gaps.reduce(0, +) <= Self.longestIdleTime
    }

    private var reads: [Read] {
        statements.map { Read(connection: connection, statement: $0.statement.key) }
    }

    /// A transaction for each statement, without the time between them.
    ///
    /// The transactions do not overlap.
    private var divided: [CapturedTransaction] {
        var previousEnd = start
        return statements.enumerated().map { index, statement in
            var part = self
            part.statements = [statement]
            part.start =
                index == 0 ? start : max(previousEnd, statement.start - (beginSeconds ?? 0))
            part.firstStep = index == 0 ? firstStep : nil
            let nextStart = index + 1 < statements.count ? statements[index + 1].start : end
            part.end = min(statement.end + (endSeconds ?? 0), nextStart)
            previousEnd = part.end
            part.gaps = [index == 0 ? gaps.first ?? 0 : 0, 0]
            part.busyCount = index == 0 ? busyCount : 0
            part.retryCount = index == 0 ? retryCount : 0
            return part
        }
    }
}
