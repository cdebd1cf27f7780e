extension Worker {
    /// Makes one access that runs an operation of the mix.
    func performOperation(_ turn: Turn) {
        let operation = drawOperation()
        let access = plan.accesses[operation]
        values.begin()
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

    /// Writes, and reads what was committed while others write: one access, which ends with both.
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

    /// Makes one access of a load test, whose closure says itself when its wait was over.
    private func performClosure(_ operation: Int, _ turn: Turn, _ closures: ClosureTarget) {
        self.access(operation, turn) { attempt in
            let start = clock.now()
            let own = closures.makeAccess(of: plan.name.name)
            defer { attempt.entry = own.entered ?? start }
            let session = ClosureTarget.Session(target: closures, access: own)
            try perform(operation, in: session)
        }
    }

    /// Runs an operation's statements, or makes its steps.
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

    /// The same for an access that others may interrupt, and that may interrupt those before it.
    private func performInterruptible(
        _ operation: Int,
        _ access: WorkloadAccess,
        _ turn: Turn,
        _ interrupts: ClientInterrupts
    ) {
        self.access(operation, turn) { attempt in
            let own = RunningAccess(repeatingOn: alarm)
            if plan.client.supersedes { interrupts.interruptAll(but: own, at: clock.now()) }
            interrupts.add(own)
            do {
                try target.perform(access, as: plan.name) { session in
                    let entry = clock.now()
                    attempt.entry = entry
                    try own.enter(session.makeInterrupt())
                    defer { own.leave() }
                    let alarm = setAlarm(from: entry) { interrupts.interrupt(own, at: $0) }
                    defer { if let alarm { self.alarm?.cancel(alarm) } }
                    try perform(operation, in: session)
                }
                interrupts.remove(own, wasInterrupted: false, at: clock.now())
            } catch {
                let wasInterrupted = failure(of: error) == .interrupted
                interrupts.remove(own, wasInterrupted: wasInterrupted, at: clock.now())
                throw error
            }
        }
    }

    /// Has `body` called when an access that began at `start` has had its time.
    private func setAlarm(
        from start: UInt64,
        _ body: @escaping @Sendable (UInt64) -> Void
    ) -> AlarmClock.Ticket? {
        guard let after = plan.client.interruptAfter, let alarm else { return nil }
        let time = start &+ after.wholeNanoseconds
        return alarm.set(at: time) { [clock] in body(clock.now()) }
    }

    /// How an access failed.
    func failure(of error: any Error) -> WorkloadFailure {
        error is RunningAccess.Superseded || error is CancellationError
            ? .interrupted : target.failure(of: error)
    }
}
