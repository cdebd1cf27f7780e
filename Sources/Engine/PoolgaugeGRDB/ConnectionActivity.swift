#if GRDB
import Foundation
import SQLText
import Telemetry

/// The activity of a connection, derived from its accesses, statements, and transactions.
///
/// A connection is held while an access through ``WatchedDatabase`` uses it, or while a statement
/// or a transaction is open. A snapshot's transaction is always open and does not count.
struct ConnectionActivity: Sendable {
    /// A change in whether the connection is held.
    enum Change: Sendable, Equatable {
        case began
        /// The hold ended after a number of nanoseconds.
        case ended(UInt64)
    }

    /// A statement between its first step and its reset.
    private struct Statement: Sendable {
        var id: UInt
        /// The time of the first step, in nanoseconds.
        var startedAt: UInt64
        var kind: SQLStatementKind
        var isReadOnly: Bool

        var mayCommit: Bool {
            switch kind {
            case .commit, .release: true
            default: false
            }
        }
    }

    /// The duration of an ended statement.
    enum EndedStatement: Sendable, Equatable {
        case statement(UInt64)
        /// A statement that ended a write transaction.
        case commit(UInt64)
    }

    /// The last statement of an access that reports its statements.
    struct ReportedStatement: Sendable {
        private(set) var sql: String?
        var interruptCount: UInt64 = 0
        /// The number of statements, which distinguishes successive statements.
        private var count: UInt64 = 0
        /// The value of `count` in the last status with a running statement.
        private var observedCount: UInt64 = 0
        /// The time of the first status with the running statement, in nanoseconds.
        private var observedSince: UInt64 = 0

        mutating func start(_ sql: String) {
            self.sql = sql
            count += 1
        }

        mutating func clear() { sql = nil }

        /// Returns the minimum age of the running statement, in nanoseconds.
        ///
        /// A time for each statement would slow accesses down.
        mutating func age(at now: UInt64) -> UInt64 {
            if observedCount != count {
                observedCount = count
                observedSince = now
            }
            return now - min(now, observedSince)
        }
    }

    private let role: ConnectionRole
    /// The statement of the access, unless SQLite's trace function reports statements.
    var reported = ReportedStatement()
    private(set) var access: CallSite?
    private var accessStart: UInt64 = 0
    private var statements: [Statement] = []
    /// The text of the last statement, without a terminating zero.
    private var sql: [UInt8] = []
    private var isInTransaction = false
    private var transaction = TransactionState.none
    private var heldSince: UInt64?
    private var accessCount: UInt64 = 0

    init(role: ConnectionRole) { self.role = role }

    var isRunningStatement: Bool { !statements.isEmpty }

    // MARK: Changes

    mutating func accessDidStart(_ site: CallSite, at now: UInt64) -> Change? {
        access = site
        accessStart = now
        return change(at: now)
    }

    /// Records the end of an access, and returns the access's hold time and the change.
    mutating func accessDidEnd(at now: UInt64) -> (held: UInt64, change: Change?) {
        access = nil
        reported.clear()
        return (now - min(now, accessStart), change(at: now))
    }

    mutating func statementDidStart(
        _ id: UInt,
        text: UnsafePointer<CChar>,
        isReadOnly: Bool,
        at now: UInt64
    ) -> Change? {
        // SQLite also reports the triggers that a statement fires.
        guard !statements.contains(where: { $0.id == id }) else { return nil }
        let kind = SQLStatementKind(
            UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
        )
        statements.append(Statement(id: id, startedAt: now, kind: kind, isReadOnly: isReadOnly))
        // Keep the array's capacity, so that most statements require no allocation.
        sql.removeAll(keepingCapacity: true)
        sql.append(contentsOf: UnsafeRawBufferPointer(start: text, count: strlen(text)))
        return change(at: now)
    }

    mutating func statementDidEnd(
        _ id: UInt,
        isInTransaction: Bool,
        transaction: TransactionState,
        at now: UInt64
    ) -> (ended: EndedStatement?, change: Change?) {
        guard let index = statements.lastIndex(where: { $0.id == id }) else { return (nil, nil) }
        let statement = statements.remove(at: index)
        let duration = now - min(now, statement.startedAt)
        var ended: EndedStatement?
        if !statement.kind.controlsTransaction {
            ended = .statement(duration)
        } else if statement.mayCommit, self.transaction == .write, !isInTransaction {
            ended = .commit(duration)
        }
        self.isInTransaction = isInTransaction
        self.transaction = transaction
        return (ended, change(at: now))
    }

    private mutating func change(at now: UInt64) -> Change? {
        let isHeld =
            access != nil || !statements.isEmpty || isInTransaction && role != .snapshot
        switch (heldSince, isHeld) {
        case (nil, true):
            heldSince = now
            accessCount += 1
            return .began
        case (let since?, false):
            heldSince = nil
            return .ended(now - min(now, since))
        default: return nil
        }
    }

    // MARK: Status

    func status(label: String, at now: UInt64) -> ConnectionStatus {
        let running = statements.last
        let state: ConnectionState
        if let running {
            state = running.mayCommit && isInTransaction ? .committing : .statement
        } else {
            state = heldSince == nil ? .idle : .closure
        }
        let isHeld = heldSince != nil
        return ConnectionStatus(
            label: label,
            role: role,
            state: state,
            accessCount: accessCount,
            holder: access?.origin,
            heldNanoseconds: heldSince.map { now - min(now, $0) },
            sql: isHeld && !sql.isEmpty ? String(decoding: sql, as: UTF8.self) : nil,
            sqlNanoseconds: running.map { now - min(now, $0.startedAt) },
            transaction: currentTransaction,
            interruptCount: nil
        )
    }

    /// Returns the status of a connection whose accesses report their statements.
    mutating func reportedStatus(
        label: String,
        isRunning: Bool,
        at now: UInt64
    ) -> ConnectionStatus {
        ConnectionStatus(
            label: label,
            role: role,
            state: heldSince == nil ? .idle : isRunning ? .statement : .closure,
            accessCount: accessCount,
            holder: access?.origin,
            heldNanoseconds: heldSince.map { now - min(now, $0) },
            sql: reported.sql,
            sqlNanoseconds: isRunning ? reported.age(at: now) : nil,
            interruptCount: reported.interruptCount
        )
    }

    /// The state of the transaction, or `nil` if it depends on the progress of a running statement.
    private var currentTransaction: TransactionState? {
        guard let running = statements.last, !running.kind.controlsTransaction,
            transaction != .write
        else { return transaction }
        return running.isReadOnly ? .read : nil
    }
}
#endif
