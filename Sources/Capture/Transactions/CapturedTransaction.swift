import WorkloadEngine

/// A connection's transaction, from its BEGIN to its end, or a single statement outside a
/// transaction.
struct CapturedTransaction {
    /// How a transaction begins.
    enum Begin: String, Sendable, CaseIterable {
        /// Without BEGIN, as one statement.
        case autocommit
        case deferred, immediate, exclusive
        /// With SAVEPOINT outside a transaction, which begins a deferred transaction.
        case savepoint
    }

    /// How a transaction ends.
    enum Outcome: String, Sendable, CaseIterable {
        case committed, rolledBack
        /// Failed because of another connection's lock.
        case busy
        /// Failed for another reason.
        case failed
    }

    /// One of its statements.
    struct Statement {
        var statement: NormalizedStatement
        var start: Double
        var end: Double
        var seconds: Double?
        var rows: Int?
        var isBusy: Bool
        var values: [WorkloadValue]
    }

    /// The connection: its process and its name.
    var connection: String
    var begin: Begin
    var outcome = Outcome.committed
    /// The start of its first statement, including BEGIN, in seconds.
    var start: Double
    /// The end of its last statement, including COMMIT, in seconds.
    var end: Double
    /// Its statements, without BEGIN, COMMIT and ROLLBACK.
    var statements: [Statement] = []
    /// The times between statements, in seconds.
    ///
    /// The first time follows BEGIN, and the last one precedes COMMIT. The list is empty without
    /// BEGIN.
    var gaps: [Double] = []
    /// The duration of the statement that began it, in seconds, or nil if unknown.
    var beginSeconds: Double?
    /// The duration of the statement that ended it, in seconds, or nil if unknown.
    var endSeconds: Double?
    /// The number of failures of its statements, or of BEGIN before it, because of a lock.
    var busyCount = 0
    /// Whether the durations of all its statements are known.
    var isTimed = true
    /// Whether a library began it without a statement in the input.
    var beginsImplicitly = false

    /// Its duration, in seconds.
    var duration: Double { max(0, end - start) }

    /// Whether it writes, or locks the database for writing.
    var writes: Bool {
        begin == .immediate || begin == .exclusive
            || statements.contains { !$0.statement.readsOnly && $0.statement.isChange }
    }
}

extension NormalizedStatement {
    /// Whether it changes data; savepoint statements do not.
    var isChange: Bool { !["SAVEPOINT", "RELEASE", "ROLLBACK"].contains(verb) }
}
