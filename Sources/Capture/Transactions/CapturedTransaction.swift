import WorkloadEngine

/// A transaction of a connection, from its BEGIN to its end; a statement outside of one is a
/// transaction by itself.
struct CapturedTransaction {
    /// How it began.
    enum Begin: String, Sendable, CaseIterable {
        /// Without BEGIN: one statement.
        case autocommit
        case deferred, immediate, exclusive
        /// With SAVEPOINT outside a transaction, which is deferred.
        case savepoint
    }

    /// How it ended.
    enum Outcome: String, Sendable, CaseIterable {
        case committed, rolledBack
        /// It failed because of another connection's lock.
        case busy
        /// A statement failed for another reason.
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

    /// The connection: process and name.
    var connection: String
    var begin: Begin
    var outcome = Outcome.committed
    /// When its first statement, BEGIN included, started.
    var start: Double
    /// When its last statement, COMMIT included, ended.
    var end: Double
    /// Its statements, except the ones that begin and end it.
    var statements: [Statement] = []
    /// The time from each statement's end to the next one's start.
    ///
    /// The first follows BEGIN, the last precedes COMMIT. Empty without BEGIN.
    var gaps: [Double] = []
    /// How long the statement that began it ran; nil where that is unknown.
    var beginSeconds: Double?
    /// How long the statement that ended it ran; nil where that is unknown.
    var endSeconds: Double?
    /// How often one of its statements, or BEGIN before it, failed because of a lock.
    var busyCount = 0
    /// Whether the durations of all its statements are known.
    var isTimed = true
    /// Whether a library began it without a statement that the input shows.
    var hasHiddenBegin = false

    /// How long it lasted, in seconds.
    var duration: Double { max(0, end - start) }

    /// Whether it writes, or locks the database for writing.
    var writes: Bool {
        begin == .immediate || begin == .exclusive
            || statements.contains { !$0.statement.readsOnly && $0.statement.isChange }
    }
}

extension NormalizedStatement {
    /// Whether it changes data; statements about savepoints do not.
    var isChange: Bool { !["SAVEPOINT", "RELEASE", "ROLLBACK"].contains(verb) }
}
