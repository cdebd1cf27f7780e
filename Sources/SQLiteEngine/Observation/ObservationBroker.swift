import CSQLite

/// Tells a connection's transaction observers what happens on it.
///
/// SQLite's hooks are installed while there are observers, and the update hook only while a
/// statement runs whose changes somebody wants to know: it slows every change down.
final class ObservationBroker {
    /// How the running statement ended a transaction, as far as SQLite's hooks tell.
    private enum Completion {
        case none
        case commit
        case rollback
        /// An observer threw: SQLite rolls back.
        case cancelledCommit(any Error)
    }

    private unowned let database: Database
    private var observations: [TransactionObservation] = []

    /// Those who want to know the changes of the running statement.
    private var interested: [StatementObservation] = []

    /// The changes that wait for a savepoint's release, and those who want to know them.
    private var heldBack: [(event: DatabaseEvent, interested: [StatementObservation])] = []

    /// The ends of transactions that are being told, the outermost first.
    private var ends: [TransactionEnd] = []

    private var completion = Completion.none
    private var isUpdateHookInstalled = false

    /// Whether the running statement began inside a transaction.
    private var beganInsideTransaction = false

    init(_ database: Database) { self.database = database }

    var isEmpty: Bool { observations.isEmpty }

    /// How many changes wait for a savepoint's release.
    var heldBackCount: Int { heldBack.count }

    /// Whether an observer may want to know single changes.
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
        // Changes that are held back must not reach it any more.
        observations.remove(at: index).isEnabled = false
        if observations.isEmpty { uninstall() }
    }

    func disableUntilNextTransaction(_ observer: some TransactionObserver) {
        guard let observation = observations.first(where: { $0.observer === observer }) else {
            return
        }
        observation.isEnabled = false
        interested.removeAll { $0.observation === observation }
    }

    /// Tells of changes that SQLite does not see.
    func notifyChanges(of kinds: [DatabaseEventKind]) {
        withCurrentBroker {
            for observation in observations where observation.isEnabled {
                // Of each kind: an observer may note what it is asked about.
                if !kinds.filter({ observation.observes($0) }).isEmpty {
                    observation.observer?.databaseDidChange()
                }
            }
        }
    }

    // MARK: Statements

    func statementWillExecute(_ statement: Statement) {
        // An observer that is told of a transaction's end begins another one. Only here, where no
        // transaction is open and no argument bound, may others use the database meanwhile.
        if !ends.isEmpty, statement.effect.mayBeginTransaction, !database.isInsideTransaction {
            tellRestOfEnds()
        }
        completion = .none
        beganInsideTransaction = database.isInsideTransaction
        interested =
            database.isReadOnly || statement.isReadonly || !observesChanges
            ? [] : interest(in: statement.authorizerEventKinds)
        setUpdateHook(!interested.isEmpty)
        if !interested.isEmpty { database.authorizer?.statementWillExecute(statement) }
    }

    private func interest(in kinds: [DatabaseEventKind]) -> [StatementObservation] {
        observations.compactMap { observation in
            let observed = kinds.filter { observation.observes($0) }
            guard !observed.isEmpty else { return nil }
            return StatementObservation(
                observation: observation,
                // With one kind, every change is of that kind.
                kinds: kinds.count == 1 ? nil : (observed, kinds)
            )
        }
    }

    /// Called when a statement has run, while the savepoints are as it left them.
    ///
    /// - Throws: What an observer throws to stop the commit of an empty transaction.
    func statementDidExecute(_ statement: Statement) throws {
        interested = []
        setUpdateHook(false)
        switch statement.effect {
        case .commitTransaction, .releaseSavepoint:
            if case .none = completion, !database.isInsideTransaction {
                return try didCommitEmpty()
            }
            if database.savepoints.isEmpty { tellHeldBack() }
        default: break
        }
        finish()
    }

    /// Drops the changes that a rollback to a savepoint has undone.
    func didRollBackToSavepoint(keeping count: Int) {
        heldBack.removeLast(max(0, heldBack.count - count))
    }

    /// Called when a statement has failed.
    ///
    /// - Returns: The error to throw instead, when an observer stopped the commit.
    func statementDidFail() -> (any Error)? {
        interested = []
        setUpdateHook(false)
        let completion = completion
        self.completion = .none
        switch completion {
        case .cancelledCommit(let error):
            didRollBack(isTold: !database.isReadOnly)
            return error
        case .rollback:
            // A statement that fails outside a transaction undoes itself, which is no news.
            // Inside one it took the whole transaction along (`ON CONFLICT ROLLBACK`, an
            // interrupt).
            didRollBack(isTold: beganInsideTransaction && !database.isReadOnly)
        case .none, .commit: break
        }
        return nil
    }

    // MARK: Transactions that accesses begin and end themselves

    /// Called before such a transaction ends.
    func willEndTransaction() {
        completion = .none
        beganInsideTransaction = true
    }

    /// Called when such a transaction has been committed.
    func didCommitTransaction() throws {
        if case .none = completion { return try didCommitEmpty() }
        finish()
    }

    /// Called when such a transaction has been rolled back.
    func didRollBackTransaction() { finish() }

    /// Discards the end of a transaction that observers must not be notified of.
    func discardTransactionEnd() { completion = .none }

    // MARK: Ends of transactions

    private func finish() {
        let completion = completion
        self.completion = .none
        switch completion {
        case .commit: didCommit()
        case .rollback: didRollBack(isTold: !database.isReadOnly)
        case .none, .cancelledCommit: break
        }
    }

    private func willCommit() throws {
        tellHeldBack()
        guard !database.isReadOnly else { return }
        try database.probe.notify {
            for observation in observations { try observation.observer?.databaseWillCommit() }
        }
    }

    /// Ends a transaction without any statement that touched the database.
    ///
    /// SQLite calls no hook, and yet the program has made a transaction. It may have told changes
    /// of its own in it.
    private func didCommitEmpty() throws {
        do {
            try willCommit()
        } catch {
            didRollBack(isTold: !database.isReadOnly)
            throw error
        }
        didCommit()
    }

    private func didCommit() {
        heldBack.removeAll()
        if !database.isReadOnly {
            database.probe.notify {
                database.asObserver { tellEnd { [database] in $0.databaseDidCommit(database) } }
            }
        }
        didEndTransaction()
    }

    private func didRollBack(isTold: Bool) {
        heldBack.removeAll()
        if isTold {
            database.probe.notify {
                database.asObserver { tellEnd { [database] in $0.databaseDidRollback(database) } }
            }
        }
        didEndTransaction()
    }

    /// Tells all observers of the end of a transaction.
    ///
    /// One of them may make another transaction meanwhile: whoever has not heard of the first end
    /// hears of it before the second begins, or ends where a statement makes it by itself.
    private func tellEnd(_ tell: @escaping (any TransactionObserver) -> Void) {
        tellRestOfEnds()
        let end = TransactionEnd(observations, tell)
        ends.append(end)
        end.tellRest()
        ends.removeLast()
    }

    private func tellRestOfEnds() {
        for end in ends { end.tellRest() }
    }

    private func didEndTransaction() {
        observations.removeAll { $0.observer == nil }
        for observation in observations { observation.isEnabled = true }
        if observations.isEmpty { uninstall() }
    }

    // MARK: Changes

    private func didChange(_ event: DatabaseEvent) {
        guard database.savepoints.isEmpty else {
            heldBack.append((event.copy(), interested))
            return
        }
        withCurrentBroker { tell(event, to: interested) }
    }

    private func tellHeldBack() {
        guard !heldBack.isEmpty else { return }
        let events = heldBack
        heldBack.removeAll()
        withCurrentBroker {
            for (event, interested) in events { tell(event, to: interested) }
        }
    }

    private func tell(_ event: DatabaseEvent, to interested: [StatementObservation]) {
        for statement in interested where statement.concerns(event) {
            guard statement.observation.isEnabled else { continue }
            statement.observation.observer?.databaseDidChange(with: event)
        }
    }

    /// Lets observers find their way back here.
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
        sqlite3_rollback_hook(
            connection,
            { ObservationBroker.broker($0)?.rollbackHook() },
            context
        )
    }

    /// Takes all hooks off the connection.
    func uninstall() {
        database.isObserved = false
        interested = []
        heldBack = []
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
                guard let kind = DatabaseEvent.Kind(rawValue: kind) else { return }
                ObservationBroker.broker(context)?
                    .didChange(
                        DatabaseEvent(
                            kind: kind,
                            rowID: rowID,
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
            completion = .cancelledCommit(error)
            return 1
        }
    }

    private func rollbackHook() {
        if case .cancelledCommit = completion { return }
        completion = .rollback
    }
}
