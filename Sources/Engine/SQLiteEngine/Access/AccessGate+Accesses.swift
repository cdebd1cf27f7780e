import Telemetry

/// The reads and writes of queues, pools, and snapshots.
///
/// The parts of a synchronous access that need no specialization are not generic.
extension AccessGate {
    // MARK: Reads and writes in a transaction

    @inlinable
    @inline(__always)
    func read<T>(_ site: AccessSite, _ value: (Database) throws -> T) throws -> T {
        try beginRead(site)._withUnsafeGuaranteedRef { db in
            let result: T
            do {
                result = try hasTargetQueue ? runOnQueue(db, value) : value(db)
            } catch {
                abandonRead(db)
                throw error
            }
            try endRead(db)
            return result
        }
    }

    @inlinable
    @inline(__always)
    func write<T>(_ site: AccessSite, _ updates: (Database) throws -> T) throws -> T {
        try beginWrite(site)._withUnsafeGuaranteedRef { db in
            let result: T
            do {
                result = try hasTargetQueue ? runOnQueue(db, updates) : updates(db)
            } catch {
                abandonWrite(db)
                throw error
            }
            try endWrite(db)
            return result
        }
    }

    /// Whether a read must reject writes because its connection would accept them.
    @inline(__always)
    private var readsRejectWrites: Bool { kind == .queue }

    /// Starts a read.
    ///
    /// - Returns: The connection, which the gate owns until the access ends.
    @usableFromInline
    func beginRead(_ site: AccessSite) throws -> Unmanaged<Database> {
        let thread = ThreadState.current
        preconditionNotReentrant(thread)
        return try enter(thread, at: site, intent: .read)._withUnsafeGuaranteedRef { slot in
            let reference = slot.reference
            try reference._withUnsafeGuaranteedRef { database in
                do {
                    try database.beginReadAccess()
                } catch {
                    leave(slot)
                    throw error
                }
                if readsRejectWrites { database.readOnlyDepth += 1 }
            }
            return reference
        }
    }

    @usableFromInline
    func endRead(_ database: Database) throws {
        if readsRejectWrites { database.readOnlyDepth -= 1 }
        var end: UInt64 = 0
        do {
            if try database.endReadAccess(
                mayHaveWritten: readsRejectWrites,
                mayKeep: { allowsKeeping }
            ) {
                // `endReadAccess` has just read the clock.
                end = database.kept.pointee.lastEnd
            }
        } catch {
            leave(database)
            throw error
        }
        leave(database, at: end)
    }

    @usableFromInline
    func abandonRead(_ database: Database) {
        database.abandonTransaction()
        if readsRejectWrites { database.readOnlyDepth -= 1 }
        leave(database)
    }

    /// Starts a write; see ``beginRead(_:)``.
    @usableFromInline
    func beginWrite(_ site: AccessSite) throws -> Unmanaged<Database> {
        let thread = ThreadState.current
        preconditionNotReentrant(thread)
        return try enter(thread, at: site, intent: .write)._withUnsafeGuaranteedRef { slot in
            let reference = slot.reference
            do {
                try reference._withUnsafeGuaranteedRef { try $0.beginWriteAccess() }
            } catch {
                leave(slot)
                throw error
            }
            return reference
        }
    }

    @usableFromInline
    func endWrite(_ database: Database) throws {
        defer { leave(database) }
        try database.endWriteAccess()
    }

    @usableFromInline
    func abandonWrite(_ database: Database) {
        database.abandonTransaction()
        leave(database)
    }

    /// Reads in one transaction, without blocking the thread.
    func readInTask<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await perform(site, .read) { db in
            guard readsRejectWrites else {
                return try db.withReadTransaction(mayKeep: { allowsKeeping }, value)
            }
            return try db.readOnly {
                try db.withReadTransaction(mayKeep: { allowsKeeping }, value)
            }
        }
    }

    func writeInTask<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await perform(site, .write) { db in try db.withWriteTransaction(updates) }
    }

    /// Schedules a read in one transaction, which retains `owner` until `value` returns.
    func readLater(
        at site: AccessSite,
        keeping owner: any DatabaseReader,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        performLater(at: site, intent: .read) {
            value(.failure($0))
        } _: { [self] db in
            withExtendedLifetime(owner) {
                if readsRejectWrites { db.endKeptTransaction() }
                read(on: db, value)
            }
        }
    }

    /// Reads in one transaction on a connection that the thread holds.
    func read(
        on database: Database,
        _ value: (Result<Database, any Error>) -> Void
    ) {
        // Rejects writes during the whole transaction. The commit writes nothing, so it is not
        // rejected.
        if readsRejectWrites { database.readOnlyDepth += 1 }
        defer { if readsRejectWrites { database.readOnlyDepth -= 1 } }
        do {
            try database.beginReadAccess()
        } catch {
            value(.failure(error))
            return
        }
        value(.success(database))
        // Ignores the error from a failed commit. No caller can receive it, and the transaction has
        // ended in any case.
        _ = try? database.endReadAccess(
            mayHaveWritten: readsRejectWrites,
            mayKeep: { !readsRejectWrites && allowsKeeping }
        )
    }

    // MARK: Accesses without a transaction

    /// Acquires a connection for the thread and runs `body` with it.
    ///
    /// If the access leaves a transaction open, the program stops.
    func withConnection<T, E: Error>(
        at site: AccessSite,
        intent: Waiter.Intent,
        _ body: (Database) throws(E) -> T
    ) throws(E) -> T {
        let thread = ThreadState.current
        preconditionNotReentrant(thread)
        let slot: AccessSlot
        do {
            slot = try enter(thread, at: site, intent: intent).takeUnretainedValue()
        } catch {
            return try Database.withStandIn(for: error, label: slots[0].label, body)
        }
        defer { leave(slot) }
        let database = slot.openDatabase
        database.endKeptTransaction()
        defer { endWithoutTransaction(database) }
        return try hasTargetQueue ? runOnQueue(database, body) : body(database)
    }

    /// Runs `body` on the connection that the thread already holds, or on a newly acquired one.
    func withCurrentConnection<T, E: Error>(
        at site: AccessSite,
        intent: Waiter.Intent,
        _ body: (Database) throws(E) -> T
    ) throws(E) -> T {
        if let slot = ThreadState.current.pointee.access(through: self) {
            return try body(slot.openDatabase)
        }
        return try withConnection(at: site, intent: intent, body)
    }

    /// Runs `body` with a connection, without blocking the thread.
    ///
    /// If the access leaves a transaction open, the program stops.
    func performWithoutTransaction<T: Sendable>(
        at site: AccessSite,
        intent: Waiter.Intent,
        _ body: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await perform(site, intent) { db in
            db.endKeptTransaction()
            defer { endWithoutTransaction(db) }
            return try db.withoutTransaction(body)
        }
    }

    /// Schedules `body` to run with a connection, or with an error if no connection is available.
    ///
    /// If the access leaves a transaction open, the program stops. The access retains `owner` until
    /// `body` returns.
    func performWithoutTransactionLater(
        at site: AccessSite,
        intent: Waiter.Intent,
        keeping owner: any DatabaseReader,
        _ body: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        performLater(at: site, intent: intent) {
            body(.failure($0))
        } _: { [self] db in
            withExtendedLifetime(owner) {
                db.endKeptTransaction()
                body(.success(db))
                endWithoutTransaction(db)
            }
        }
    }

    /// Schedules `body` to run with a connection.
    ///
    /// If no connection is available, `body` receives a connection on which every statement throws.
    func writeWithoutTransactionLater(
        at site: AccessSite,
        keeping owner: any DatabaseWriter,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        let label = slots[0].label
        performWithoutTransactionLater(at: site, intent: .write, keeping: owner) { result in
            switch result {
            case .success(let database): body(database)
            case .failure(let error): body(Database.makeStandIn(label: label, for: error))
            }
        }
    }

    private func endWithoutTransaction(_ database: Database) {
        if kind == .reader {
            database.endUnsafeAccess()
        } else {
            database.preconditionNoTransactionIsLeftOpen()
        }
    }
}

// MARK: - Entering and leaving an access

extension AccessGate {
    /// Acquires a connection for the calling thread and enters the access.
    ///
    /// The thread must not already be inside an access to this gate.
    @inline(__always)
    func enter(
        _ thread: UnsafeMutablePointer<ThreadState>,
        at site: AccessSite,
        intent: Waiter.Intent
    ) throws -> Unmanaged<AccessSlot> {
        let slot = try acquire(thread, at: site, intent: intent)
        slot._withUnsafeGuaranteedRef { enter($0, on: thread, at: site) }
        return slot
    }

    /// Enters an access on a slot that the caller holds.
    @inline(__always)
    func enter(
        _ slot: AccessSlot,
        on thread: UnsafeMutablePointer<ThreadState>,
        at site: AccessSite
    ) {
        slot.outer = thread.pointee.innermost
        slot.thread = thread
        slot.site = site
        thread.pointee.innermost = Unmanaged.passUnretained(slot)
        slot.probe.beginAccess(site)
        readers?.forbidKeeping()
    }

    /// Leaves the access and releases the connection.
    ///
    /// `end` is a time on the probe's clock, in nanoseconds. Pass 0 to read the clock.
    @inline(__always)
    func leave(_ slot: AccessSlot, at end: UInt64 = 0) {
        leaveKeepingSlot(slot, at: end)
        release(slot)
    }

    /// Leaves an access that may have closed its connection.
    func leaveOpenOrClosed(_ slot: AccessSlot) {
        leaveKeepingSlot(slot)
        if slot.database == nil { returnSlot(slot) } else { release(slot) }
    }

    /// Leaves the access to a connection, which must not be used afterward.
    ///
    /// If the pool has to close its readers, the thread that releases one also deallocates it.
    @inline(__always)
    func leave(_ database: Database, at end: UInt64 = 0) {
        guard let slot = database.slot else {
            fatalError("A database access ended on a closed connection.")
        }
        slot._withUnsafeGuaranteedRef { leave($0, at: end) }
    }

    @inline(__always)
    func leaveKeepingSlot(_ slot: AccessSlot, at end: UInt64 = 0) {
        slot.thread?.pointee.innermost = slot.outer
        slot.outer = nil
        // Clears the owner so that the next check detects any later use of the connection.
        slot.thread = nil
        slot.reviewIfExposed()
        readers?.allowKeeping()
        slot.probe.endAccess(at: end)
    }

    /// Detaches an access from `thread` so that another thread can continue it.
    func detach(_ slot: AccessSlot, from thread: UnsafeMutablePointer<ThreadState>) {
        thread.pointee.innermost = slot.outer
        slot.outer = nil
        slot.thread = nil
    }

    func attach(_ slot: AccessSlot, to thread: UnsafeMutablePointer<ThreadState>) {
        slot.outer = thread.pointee.innermost
        slot.thread = thread
        thread.pointee.innermost = Unmanaged.passUnretained(slot)
    }

    /// Runs `body` on the connection's dispatch queue, which the configuration specifies.
    ///
    /// The queue may use a different thread. For example, the main queue uses the main thread.
    @usableFromInline
    func runOnQueue<T, E: Error>(
        _ database: Database,
        _ body: (Database) throws(E) -> T
    ) throws(E) -> T {
        guard let slot = database.slot?.takeUnretainedValue() else { return try body(database) }
        let caller = ThreadState.current
        return try slot.executor.sync { () throws(E) -> T in
            let thread = ThreadState.current
            guard thread != caller else { return try body(database) }
            detach(slot, from: caller)
            attach(slot, to: thread)
            let outerCaller = thread.pointee.caller
            thread.pointee.caller = caller
            defer {
                thread.pointee.caller = outerCaller
                detach(slot, from: thread)
                attach(slot, to: caller)
            }
            return try body(database)
        }
    }

    /// Stops the program if the thread is already inside an access to this gate.
    ///
    /// The new access would wait for the enclosing one.
    @inline(__always)
    func preconditionNotReentrant(_ thread: UnsafeMutablePointer<ThreadState>) {
        guard thread.pointee.innermost != nil else { return }
        requirement(
            thread.pointee.access(through: self) == nil,
            "Database methods are not reentrant."
        )
    }
}
