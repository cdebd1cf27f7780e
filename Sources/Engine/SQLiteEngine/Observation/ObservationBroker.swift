import CSQLite
import SQLText

/// An object that notifies a connection's transaction observers.
///
/// The transaction hooks are installed only while observers exist. The update hook slows down every
/// change, so it is installed only while a statement with observed changes runs.
final class ObservationBroker {
    /// The end of the running statement's transaction, as reported by SQLite's hooks.
    private enum Completion {
        case none
        case commit
        case rollback
        /// An observer threw an error, which makes SQLite roll back the transaction.
        case canceledCommit(any Error)
    }

    private unowned let database: Database
    private var observations: [TransactionObservation] = []

    /// The observations of the running statement's changes.
    private var recipients: [StatementObservation] = []

    /// The changes to report after the savepoints are released, with the observations to notify.
    private var heldBackEvents: [(event: DatabaseEvent, recipients: [StatementObservation])] = []

    /// The ended transactions whose observers have not all been notified, outermost first.
    private var ends: [TransactionEnd] = []

    private var completion = Completion.none
    private var isUpdateHookInstalled = false

    private var beganInsideTransaction = false

    /// The changes of the running statement that SQLite does not report.
    private var silentChanges = SilentChanges()

    init(_ database: Database) { self.database = database }

    var isEmpty: Bool { observations.isEmpty }

    var heldBackCount: Int { heldBackEvents.count }

    var observesChanges: Bool { observations.contains { $0.observesChanges } }

    func observesDeletions(in table: String) -> Bool {
        observations.contains { $0.observes(.delete(tableName: table)) }
    }

    // MARK: Observers

    func add(
        _ observer: some TransactionObserver,
        extent: Database.TransactionObservationExtent
    ) {
        observations.append(TransactionObservation(observer, extent: extent))
        if observations.count == 1 { installTransactionHooks() }
    }

    func remove(_ observer: some TransactionObserver) {
        guard let index = observations.firstIndex(where: { $0.observer === observer }) else {
            return
        }
        // Prevents held-back changes from reaching the observer.
        observations.remove(at: index).isEnabled = false
        if observations.isEmpty { uninstall() }
    }

    func disableUntilNextTransaction(_ observer: some TransactionObserver) {
        guard let observation = observations.first(where: { $0.observer === observer }) else {
            return
        }
        observation.isEnabled = false
        recipients.removeAll { $0.observation === observation }
    }

    func notifyChanges(of kinds: [DatabaseEventKind]) {
        withCurrentBroker {
            for observation in observations where observation.isEnabled {
                // Queries every kind, because an observer may record the kinds.
                if !kinds.filter({ observation.observes($0) }).isEmpty {
                    observation.observer?.databaseDidChange()
                }
            }
        }
    }

    // MARK: Statements

    /// Prepares to report the changes of a statement.
    ///
    /// - Throws: A ``DatabaseError`` if SQLite cannot determine which changes the statement may
    ///   make.
    func statementWillExecute(_ statement: Statement) throws {
        // An observer's end-of-transaction callback is starting another transaction. The broker
        // notifies the remaining observers now, because they may use the database only while no
        // transaction is open and no argument is bound.
        if !ends.isEmpty, statement.effect.beginsTransaction, !database.isInsideTransaction {
            notifyPendingEnds()
        }
        completion = .none
        beganInsideTransaction = database.isInsideTransaction
        recipients = []
        if !database.isReadOnly, !statement.isReadonly, observesChanges {
            // In a deferred transaction, a query would start to read. If another connection writes,
            // the statement would then fail at once instead of waiting for the lock.
            if !database.mayWaitToWrite { try database.confirmSchema() }
            var kinds = try statement.authorizerEventKinds()
            // These queries run before the statement's recipients are set.
            silentChanges = try database.silentChanges(of: statement, kinds)
            if silentChanges.mayReplace { kinds = try database.withAllColumns(kinds) }
            recipients = recipients(of: kinds)
        }
        setUpdateHook(!recipients.isEmpty)
        if !recipients.isEmpty { database.authorizer?.statementWillExecute(statement) }
    }

    private func recipients(of kinds: [DatabaseEventKind]) -> [StatementObservation] {
        observations.compactMap { observation in
            let observed = kinds.filter { observation.observes($0) }
            guard !observed.isEmpty else { return nil }
            return StatementObservation(
                observation: observation,
                // If only one kind is possible, every change is of that kind.
                kinds: kinds.count == 1 ? nil : (observed, kinds)
            )
        }
    }

    /// Handles the end of a successful statement, before the savepoint stack changes.
    ///
    /// - Throws: The error that an observer throws to prevent the commit of an empty transaction.
    func statementDidExecute(_ statement: Statement) throws {
        recipients = []
        setUpdateHook(false)
        switch statement.effect {
        case .commit, .release:
            if case .none = completion, !database.isInsideTransaction {
                return try didCommitEmpty()
            }
            if database.savepoints.isEmpty { notifyHeldBack() }
        default: break
        }
        handleCompletion()
    }

    func didRollBackToSavepoint(keeping count: Int) {
        heldBackEvents.removeLast(max(0, heldBackEvents.count - count))
    }

    /// Handles the end of a failed statement.
    ///
    /// - Returns: The error to throw instead of the statement's error, if an observer prevented the
    ///   commit.
    func statementDidFail() -> (any Error)? {
        recipients = []
        setUpdateHook(false)
        let completion = completion
        self.completion = .none
        switch completion {
        case .canceledCommit(let error):
            didRollBack()
            return error
        case .rollback:
            // When a statement fails outside a transaction, SQLite undoes only the statement. The
            // broker does not notify observers. Inside a transaction, the rollback hook runs only
            // if the failure rolled back the whole transaction, for example after `ON CONFLICT
            // ROLLBACK` or an interrupt.
            didRollBack(notifiesObservers: beganInsideTransaction)
        case .none, .commit: break
        }
        return nil
    }

    // MARK: Transactions that accesses start and end

    func willEndTransaction() {
        completion = .none
        beganInsideTransaction = true
    }

    func didCommitTransaction() throws {
        if case .none = completion { return try didCommitEmpty() }
        handleCompletion()
    }

    func didRollBackTransaction() { handleCompletion() }

    /// Discards a transaction end that observers must not receive.
    func discardTransactionEnd() { completion = .none }

    // MARK: Ends of transactions

    private func handleCompletion() {
        let completion = completion
        self.completion = .none
        switch completion {
        case .commit: didCommit()
        case .rollback: didRollBack()
        case .none, .canceledCommit: break
        }
    }

    private func willCommit() throws {
        notifyHeldBack()
        guard !database.isReadOnly else { return }
        try database.probe.notify {
            for observation in observations { try observation.observer?.databaseWillCommit() }
        }
    }

    /// Ends a transaction in which no statement has accessed the database.
    ///
    /// SQLite calls no hook for an empty transaction, but ``Database/notifyChanges(in:)`` may have
    /// reported changes.
    private func didCommitEmpty() throws {
        do {
            try willCommit()
        } catch {
            didRollBack()
            throw error
        }
        didCommit()
    }

    private func didCommit() { didEndTransaction { $0.databaseDidCommit($1) } }

    private func didRollBack(notifiesObservers: Bool = true) {
        didEndTransaction(notifiesObservers: notifiesObservers) { $0.databaseDidRollback($1) }
    }

    /// Notifies all observers that a transaction has ended.
    ///
    /// If an observer's callback starts another transaction, the broker notifies the remaining
    /// observers of the first end before the second transaction starts. If the second transaction
    /// is a single statement, the broker notifies them before that transaction ends.
    private func notifyEnd(_ notify: @escaping (any TransactionObserver) -> Void) {
        notifyPendingEnds()
        let end = TransactionEnd(observations, notify)
        ends.append(end)
        end.notifyRemainingObservers()
        ends.removeLast()
    }

    private func notifyPendingEnds() {
        for end in ends { end.notifyRemainingObservers() }
    }

    private func didEndTransaction(
        notifiesObservers: Bool = true,
        _ notify: @escaping (any TransactionObserver, Database) -> Void
    ) {
        heldBackEvents.removeAll()
        if notifiesObservers, !database.isReadOnly {
            database.probe.notify {
                database.runObserverCallbacks { notifyEnd { [database] in notify($0, database) } }
            }
        }
        observations.removeAll { $0.observer == nil }
        for observation in observations { observation.isEnabled = true }
        if observations.isEmpty { uninstall() }
    }

    // MARK: Changes

    private func didChange(_ event: DatabaseEvent) {
        guard database.savepoints.isEmpty else {
            heldBackEvents.append((event.copy(), recipients))
            return
        }
        withCurrentBroker { send(event, to: recipients) }
    }

    private func notifyHeldBack() {
        guard !heldBackEvents.isEmpty else { return }
        let events = heldBackEvents
        heldBackEvents.removeAll()
        withCurrentBroker {
            for (event, recipients) in events { send(event, to: recipients) }
        }
    }

    private func send(_ event: DatabaseEvent, to recipients: [StatementObservation]) {
        for statement in recipients where statement.concerns(event) {
            guard statement.observation.isEnabled else { continue }
            statement.observation.observer?.databaseDidChange(with: event)
        }
    }

    private func withCurrentBroker(_ body: () -> Void) {
        let thread = ThreadState.current
        let outer = thread.pointee.broker
        thread.pointee.broker = Unmanaged.passUnretained(self)
        defer { thread.pointee.broker = outer }
        database.probe.notify(body)
    }

    // MARK: Hooks

    private static func broker(_ context: UnsafeMutableRawPointer?) -> ObservationBroker? {
        context.map { Unmanaged<ObservationBroker>.fromOpaque($0).takeUnretainedValue() }
    }

    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private func installTransactionHooks() {
        database.isObserved = true
        let connection = database.handle
        sqlite3_commit_hook(
            connection,
            { ObservationBroker.broker($0)?.commitHook() ?? 0 },
            context
        )
        sqlite3_rollback_hook(connection, { ObservationBroker.broker($0)?.rollbackHook() }, context)
    }

    func uninstall() {
        database.isObserved = false
        recipients = []
        heldBackEvents = []
        setUpdateHook(false)
        sqlite3_commit_hook(database.handle, nil, nil)
        sqlite3_rollback_hook(database.handle, nil, nil)
    }

    private func setUpdateHook(_ isInstalled: Bool) {
        guard isInstalled != isUpdateHookInstalled else { return }
        isUpdateHookInstalled = isInstalled
        guard isInstalled else {
            sqlite3_update_hook(database.handle, nil, nil)
            return
        }
        sqlite3_update_hook(
            database.handle,
            { context, kind, databaseName, tableName, rowID in
                guard let kind = DatabaseEvent.Kind(rawValue: kind),
                    let broker = ObservationBroker.broker(context)
                else { return }
                broker.didChange(
                    DatabaseEvent(
                        kind: kind,
                        rowID: rowID,
                        mayChangeOtherRows: broker.silentChanges.mayAccompany(
                            kind,
                            table: tableName
                        ),
                        databaseNameCString: databaseName,
                        tableNameCString: tableName
                    )
                )
            },
            context
        )
    }

    private func commitHook() -> CInt {
        do {
            try willCommit()
            completion = .commit
            return 0
        } catch {
            completion = .canceledCommit(error)
            return 1
        }
    }

    private func rollbackHook() {
        if case .canceledCommit = completion { return }
        completion = .rollback
    }
}

/// The changes of a statement that SQLite's update hook does not report.
///
/// The hook reports the rowid of a changed row after the change only, and does not report the rows
/// that `REPLACE` removes (https://sqlite.org/c3ref/update_hook.html).
struct SilentChanges {
    /// Whether the statement, its triggers, or the conflict clauses of tables may replace rows.
    var mayReplace = false

    /// The tables whose rowids the statement may change, in lowercase.
    var tablesWithNewRowIDs: Set<String> = []

    /// Returns whether silent changes in the same table may accompany a change.
    @inline(__always)
    func mayAccompany(_ kind: DatabaseEvent.Kind, table: UnsafePointer<CChar>?) -> Bool {
        guard kind != .delete else { return false }
        if mayReplace { return true }
        guard !tablesWithNewRowIDs.isEmpty, kind == .update, let table else { return false }
        return tablesWithNewRowIDs.contains(String(cString: table).identifierKey)
    }
}

extension Database {
    /// Returns the changes that a statement may make and that SQLite does not report.
    ///
    /// - Throws: A ``DatabaseError`` if the schema cannot be read.
    func silentChanges(
        of statement: Statement,
        _ kinds: [DatabaseEventKind]
    ) throws -> SilentChanges {
        var changes = SilentChanges()
        // A name or a literal that contains the word only causes additional notifications.
        changes.mayReplace = try statement.containsReplace || schemaContainsReplace()
        for case .update(let table, let columns) in kinds {
            let alias = try rowIDColumn(ofTable: table)
            let changesRowID = columns.contains { column in
                column.isSameIdentifier(as: Column.rowID.name)
                    || alias?.isSameIdentifier(as: column) == true
            }
            if changesRowID { changes.tablesWithNewRowIDs.insert(table.identifierKey) }
        }
        return changes
    }

    /// Returns the kinds of changes of a statement that may replace rows.
    ///
    /// An update of any column can remove another row, and with it the values of all its columns.
    func withAllColumns(_ kinds: [DatabaseEventKind]) throws -> [DatabaseEventKind] {
        try kinds.map { kind in
            guard case .update(let table, let columns) = kind else { return kind }
            return .update(
                tableName: table,
                columnNames: columns.union(try columnNames(in: table, isForWrite: true))
            )
        }
    }

    /// Returns the column that is an alias for the rowid, or `nil` if there is none or the table
    /// does not exist.
    func rowIDColumn(ofTable table: String) throws -> String? {
        do {
            return try tableShape(table, isForWrite: true).rowIDColumn
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_ERROR {
            return nil
        }
    }

    /// Returns whether a conflict clause of a table, or a statement of a trigger, may replace rows.
    private func schemaContainsReplace() throws -> Bool {
        try databaseNames().contains { try schema(of: $0, isForWrite: true).containsReplace }
    }
}

/// The notification of observers that a transaction has ended.
final class TransactionEnd {
    private var remaining: ArraySlice<TransactionObservation>
    private let notify: (any TransactionObserver) -> Void

    init(
        _ observations: [TransactionObservation],
        _ notify: @escaping (any TransactionObserver) -> Void
    ) {
        remaining = observations[...]
        self.notify = notify
    }

    func notifyRemainingObservers() {
        while let next = remaining.popFirst() {
            // An observer may start another transaction before all observers are notified.
            next.isEnabled = true
            if let observer = next.observerOfEnd() { notify(observer) }
        }
    }
}
