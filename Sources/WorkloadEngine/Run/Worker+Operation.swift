extension Worker {
    func performOperation(_ turn: Turn) {
        let operation = drawOperation()
        let access = plan.accesses[operation]
        values.begin()
        if let driver { return performDriven(operation, turn, driver) }
        if let interrupts = plan.interrupts {
            performInterruptible(operation, access, turn, interrupts)
            return
        }
        if let closures { return performClosure(operation, turn, closures) }
        if !plan.thenRead.isEmpty, access == .write { return performWriteAndRead(operation, turn) }
        self.access(operation, turn) { attempt in
            try target.perform(access, as: plan.name) { session in
                attempt.entry = clock.now()
                try perform(operation, in: session)
            }
        }
    }

    /// Writes, then reads the committed state concurrently with other writes, all in one access.
    private func performWriteAndRead(_ operation: Int, _ turn: Turn) {
        access(operation, turn) { attempt in
            try target.performWrite(as: plan.name) { session in
                attempt.entry = clock.now()
                try perform(operation, in: session)
            } thenReading: {
                plan.thenRead.map { BoundStatement(sql: $0.sql, values: values.values(of: $0)) }
            }
        }
    }

    /// Performs an access of a load test, whose closure records when the wait for a connection
    /// ended.
    private func performClosure(_ operation: Int, _ turn: Turn, _ closures: ClosureTarget) {
        self.access(operation, turn) { attempt in
            let start = clock.now()
            let access = closures.makeAccess(of: plan.name.name)
            defer { attempt.entry = access.entryTime ?? start }
            let session = ClosureTarget.Session(target: closures, access: access)
            try perform(operation, in: session)
        }
    }

    /// Runs the statements of an access on its connection.
    ///
    /// Workers of all styles call this method.
    @inline(__always)
    func perform(_ operation: Int, in session: any WorkloadSession) throws {
        if let steps = plan.steps[operation] {
            try perform(steps, in: session)
            return
        }
        for statement in plan.operations[operation] {
            try session.run(statement.sql, values.values(of: statement))
        }
    }

    /// Performs an access that other accesses may interrupt, and that may interrupt earlier
    /// accesses.
    private func performInterruptible(
        _ operation: Int,
        _ access: WorkloadAccess,
        _ turn: Turn,
        _ interrupts: ClientInterrupts
    ) {
        self.access(operation, turn) { attempt in
            let running = RunningAccess(repeatingOn: alarm)
            if plan.client.supersedes { interrupts.interruptAll(but: running, at: clock.now()) }
            interrupts.add(running)
            do {
                try target.perform(access, as: plan.name) { session in
                    let entry = clock.now()
                    attempt.entry = entry
                    try running.enter(session.makeInterrupt())
                    defer { running.leave() }
                    let alarm = setAlarm(from: entry) { interrupts.interrupt(running, at: $0) }
                    defer { if let alarm { self.alarm?.cancel(alarm) } }
                    try perform(operation, in: session)
                }
                interrupts.remove(running, wasInterrupted: false, at: clock.now())
            } catch {
                let wasInterrupted = failure(of: error) == .interrupted
                let isRequested = interrupts.remove(
                    running,
                    wasInterrupted: wasInterrupted,
                    at: clock.now()
                )
                throw isRequested ? RunningAccess.Interrupted() : error
            }
        }
    }

    private func setAlarm(
        from start: UInt64,
        _ body: @escaping @Sendable (UInt64) -> Void
    ) -> AlarmClock.Ticket? {
        guard let after = plan.client.interruptAfter, let alarm else { return nil }
        let time = start &+ after.wholeNanoseconds
        return alarm.set(at: time) { [clock] in body(clock.now()) }
    }

    func failure(of error: any Error) -> WorkloadFailure {
        Self.isRequestedInterrupt(error) || error is CancellationError
            ? .interrupted : target.failure(of: error)
    }

    /// Returns whether the interrupt that ended an access was requested.
    ///
    /// In a load test, a closure may interrupt its own access. The run cannot observe these
    /// interrupts, so this method assumes that they were requested.
    func isInterruptRequested(_ error: any Error, since start: UInt64) -> Bool {
        Self.isRequestedInterrupt(error) || closures != nil
            || interrupts.mayAffectAccess(since: start)
    }

    private static func isRequestedInterrupt(_ error: any Error) -> Bool {
        error is RunningAccess.Superseded || error is RunningAccess.Interrupted
    }
}
