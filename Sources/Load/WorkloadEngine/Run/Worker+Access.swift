import Scenarios

extension Worker {
    struct Attempt {
        // The reference can be unowned because an attempt is a local variable of the worker that
        // owns the recorder. A strong reference would add two atomic operations to each access.
        fileprivate unowned(unsafe) let recorder: WorkerRecorder

        fileprivate var isSampled = false
        /// The thread's processor time when the closure started, in nanoseconds, or `nil` if the
        /// processor time is not measured.
        fileprivate private(set) var processorTime: UInt64?

        /// The clock time at which the closure started, or `nil` if it did not start.
        var entry: UInt64? {
            didSet {
                guard let entry else { return }
                recorder.enter(at: entry)
                if isSampled { processorTime = MonotonicClock.threadProcessorTime() }
            }
        }
    }

    /// Performs an access, with several attempts if necessary, and counts its outcome.
    ///
    /// This method skips the access if it is too late. If the database is busy, this method retries
    /// the access up to the client's limit.
    ///
    /// `attempt` performs the access and records when the access's closure starts.
    @inline(__always)
    func access(
        _ operation: Int,
        _ turn: Turn,
        _ attempt: (inout Attempt) throws -> Void
    ) {
        guard let started = begin(operation, turn: turn) else { return }
        var retries = plan.client.busyRetries
        while true {
            var state = Attempt(recorder: recorder)
            state.isSampled = isSampleDue(at: started.start)
            var failure: (any Error)?
            do { try attempt(&state) } catch { failure = error }
            let used = state.processorTime.map { MonotonicClock.threadProcessorTime() &- $0 }
            if conclude(
                started,
                entry: state.entry,
                processorTime: used,
                with: failure,
                retries: &retries
            ) {
                return
            }
        }
    }

    /// Returns whether to measure the processor time of an access that starts now.
    ///
    /// This thread cannot measure the processor time of an access in another process or in a
    /// task.
    @inline(__always)
    private func isSampleDue(at now: UInt64) -> Bool {
        guard now >= nextSample, plan.client.style == .sync else { return false }
        nextSample = now &+ ProcessorTally.interval
        return true
    }

    struct StartedAccess {
        /// The intended start, or the actual start if there is no schedule.
        var intended: UInt64
        var start: UInt64
        var isMeasured: Bool

        @inline(__always)
        func timestamps(entry: UInt64, end: UInt64) -> WorkerRecorder.Timestamps {
            let start = min(self.start, entry)
            return WorkerRecorder.Timestamps(
                intended: min(intended, end),
                start: start,
                entry: entry,
                end: end
            )
        }
    }

    /// Counts the start of an access.
    ///
    /// Workers of all styles call this method before an access waits for a connection.
    ///
    /// - Returns: The access, or `nil` if it is too late or no more accesses may start.
    @inline(__always)
    func begin(_ operation: Int, turn: Turn) -> StartedAccess? {
        let start = clock.now()
        let lag = start > turn.intended ? start - turn.intended : 0
        if let limit = plan.skipAfter, lag > limit {
            recorder.skip(operation, in: turn.phase)
            return nil
        }
        let mayStart = recorder.begin(
            operation,
            in: turn.phase,
            lag: turn.isScheduled ? lag : nil,
            wasFree: turn.wasFree,
            // In a load test, the time at which the closure starts is unknown until the access
            // ends. An action does not wait for a connection.
            at: closures == nil && plan.isTimed ? start : nil
        )
        guard mayStart else {
            isAbandoned = true
            if turn.isScheduled { recorder.countUnstarted(in: turn.phase, age: lag) }
            return nil
        }
        return StartedAccess(
            intended: turn.isScheduled ? turn.intended : start,
            start: start,
            isMeasured: turn.phase.isMeasured
        )
    }

    /// Counts the outcome of an attempt, which ended at `end` or, by default, now.
    ///
    /// - Returns: `false` if the database was busy and the caller must retry the access.
    @inline(__always)
    func conclude(
        _ started: StartedAccess,
        entry: UInt64?,
        processorTime: UInt64?,
        with error: (any Error)?,
        retries: inout Int,
        end: UInt64? = nil
    ) -> Bool {
        // Do not record the end of an abandoned access. The final counts include it as unfinished.
        if isAbandoned { return true }
        let end = end ?? clock.now()
        if let error {
            return concludeFailure(started, entry: entry, end: end, with: error, retries: &retries)
        }
        values.publish()
        var timestamps = started.timestamps(entry: entry ?? end, end: end)
        timestamps.processorTime = processorTime
        recorder.finish(.completed, timestamps: plan.isTimed ? timestamps : nil)
        return true
    }

    private func concludeFailure(
        _ started: StartedAccess,
        entry: UInt64?,
        end: UInt64,
        with error: any Error,
        retries: inout Int
    ) -> Bool {
        let timestamps = entry.map { started.timestamps(entry: $0, end: end) }
        let waited = plan.isTimed ? end &- min(end, started.start) : nil
        switch failure(of: error) {
        case .interrupted:
            // An interrupt that was not requested is an error.
            let isRequested = isInterruptRequested(error, since: started.start)
            recorder.finish(
                isRequested ? .interrupted : .failed("SQLITE_INTERRUPT"),
                timestamps: timestamps,
                waited: waited
            )
        case .busy(let code):
            let willRetry = retries > 0 && control.stage < .stopped
            let failure = busyFailure(
                code,
                with: error,
                isRetried: willRetry,
                isMeasured: started.isMeasured
            )
            // Add to the ledger only the failures that the recorder counts.
            let add = { [ledger = busy.ledger] in
                if let failure { ledger.add(failure) }
            }
            if willRetry {
                retries -= 1
                recorder.retry(onCount: add)
                return false
            }
            recorder.finish(.failed(code), timestamps: timestamps, waited: waited, onCount: add)
        case .error(let code):
            errorMessages.add(error, code: code, client: plan.name.name)
            recorder.finish(.failed(code), timestamps: timestamps, waited: waited)
        }
        return true
    }

    func runTask(_ sleeper: TaskSleeper) async {
        while !isAbandoned {
            updateSettings()
            if index >= settings.workers {
                guard await waitWhileSurplus(sleeper) else { break }
                continue
            }
            guard let moment = nextMoment() else { return }
            guard let turn = await awaitTurn(moment, sleeper: sleeper) else {
                countUnstarted(moment)
                break
            }
            await performOperation(turn)
        }
        countRemainingArrivals()
    }

    /// Waits while the worker is surplus.
    ///
    /// - Returns: `true` if the settings changed, or `false` if the load is over.
    private func waitWhileSurplus(_ sleeper: TaskSleeper) async -> Bool {
        while true {
            switch surplusAction() {
            case .over, .turn: return false
            case .settingsChanged: return true
            case .sleep(let deadline): await sleeper.sleep(until: deadline)
            }
        }
    }

    private func awaitTurn(_ moment: UInt64, sleeper: TaskSleeper) async -> Turn? {
        var wait = TurnWait(moment: moment, epoch: seenEpoch)
        while true {
            switch nextAction(&wait) {
            case .turn(let turn): return turn
            case .over, .settingsChanged: return nil
            case .sleep(let deadline): await sleeper.sleep(until: deadline)
            }
        }
    }

    private func performOperation(_ turn: Turn) async {
        let operation = drawOperation()
        let access = plan.accesses[operation]
        values.begin()
        guard let started = begin(operation, turn: turn) else { return }
        var retries = plan.client.busyRetries
        while true {
            // Only one thread uses the worker and the attempt at a time, because this task waits
            // while the closure runs on another thread.
            nonisolated(unsafe) let worker = self
            nonisolated(unsafe) let attempt = TaskAttempt()
            let failure: (any Error)?
            do {
                if let closures {
                    let start = clock.now()
                    let access = closures.makeAccess(of: plan.name.name)
                    defer { attempt.entry = access.entryTime ?? start }
                    try await closures.run(plan.name.name, access)
                } else if let interrupts = plan.interrupts {
                    try await performCancellable(
                        operation,
                        access: access,
                        attempt: attempt,
                        interrupts: interrupts
                    )
                } else {
                    try await target.performAsync(access, as: plan.name) { session in
                        worker.enter(attempt)
                        try worker.perform(operation, in: session)
                    }
                }
                failure = nil
            } catch {
                failure = error
            }
            if conclude(
                started,
                entry: attempt.entry,
                processorTime: nil,
                with: failure,
                retries: &retries
            ) {
                return
            }
        }
    }

    private func enter(_ attempt: TaskAttempt) {
        let now = clock.now()
        attempt.entry = now
        recorder.enter(at: now)
    }

    /// Performs an access in a separate task that other accesses can cancel.
    private func performCancellable(
        _ operation: Int,
        access: WorkloadAccess,
        attempt: TaskAttempt,
        interrupts: ClientInterrupts
    ) async throws {
        nonisolated(unsafe) let worker = self
        nonisolated(unsafe) let attempt = attempt
        let running = RunningAccess()
        if plan.client.supersedes { interrupts.interruptAll(but: running, at: clock.now()) }
        let task = Task.detached(executorPreference: TaskThreads.shared) { [target, plan] in
            try await target.performAsync(access, as: plan.name) { session in
                worker.enter(attempt)
                try worker.perform(operation, in: session)
            }
        }
        try? running.enter { task.cancel() }
        interrupts.add(running)
        let ticket = plan.client.cancelAfter.flatMap { after in
            alarm?.set(at: clock.now() &+ after.wholeNanoseconds) { [clock] in
                interrupts.interrupt(running, at: clock.now())
            }
        }
        let result = await task.result
        if let ticket { alarm?.cancel(ticket) }
        running.leave()
        switch result {
        case .success: interrupts.remove(running, wasInterrupted: false, at: clock.now())
        case .failure(let error):
            let isRequested = interrupts.remove(
                running,
                wasInterrupted: failure(of: error) == .interrupted,
                at: clock.now()
            )
            throw isRequested ? RunningAccess.Interrupted() : error
        }
    }
}

/// The time at which the closure of an asynchronous attempt started.
///
/// The task that awaits an access and the thread that performs the access never use this object at
/// the same time.
final class TaskAttempt {
    /// The clock time at which the closure started, or `nil` if it did not start.
    var entry: UInt64?
}

extension Worker {
    func performOperation(_ turn: Turn) {
        let operation = drawOperation()
        let access = plan.accesses[operation]
        values.begin()
        if let driver { return performDriven(operation, turn: turn, driver: driver) }
        if let interrupts = plan.interrupts {
            performInterruptible(operation, access: access, turn: turn, interrupts: interrupts)
            return
        }
        if let closures { return performClosure(operation, turn: turn, closures: closures) }
        if !plan.thenRead.isEmpty, access == .write {
            return performWriteAndRead(operation, turn: turn)
        }
        self.access(operation, turn) { attempt in
            try target.perform(access, as: plan.name) { session in
                attempt.entry = clock.now()
                try perform(operation, in: session)
            }
        }
    }

    /// Writes, then reads the committed state concurrently with other writes, all in one access.
    private func performWriteAndRead(_ operation: Int, turn: Turn) {
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
    private func performClosure(_ operation: Int, turn: Turn, closures: ClosureTarget) {
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
            try perform(steps, of: operation, in: session)
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
        access: WorkloadAccess,
        turn: Turn,
        interrupts: ClientInterrupts
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
