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
        guard let started = begin(operation, turn) else { return }
        var retries = plan.client.busyRetries
        while true {
            var state = Attempt(recorder: recorder)
            state.isSampled = isSampleDue(at: started.start)
            var failure: (any Error)?
            do { try attempt(&state) } catch { failure = error }
            let used = state.processorTime.map { MonotonicClock.threadProcessorTime() &- $0 }
            if conclude(started, entry: state.entry, used, failure, &retries) { return }
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
    func begin(_ operation: Int, _ turn: Turn) -> StartedAccess? {
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
            if turn.isScheduled { recorder.countUnstarted(in: turn.phase) }
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
        _ processorTime: UInt64?,
        _ error: (any Error)?,
        _ retries: inout Int,
        end: UInt64? = nil
    ) -> Bool {
        // Do not record the end of an abandoned access. The final counts include it as unfinished.
        if isAbandoned { return true }
        let end = end ?? clock.now()
        if let error { return concludeFailure(started, entry: entry, end: end, error, &retries) }
        values.publish()
        var timestamps = started.timestamps(entry: entry ?? end, end: end)
        timestamps.processorTime = processorTime
        recorder.finish(.completed, plan.isTimed ? timestamps : nil)
        return true
    }

    private func concludeFailure(
        _ started: StartedAccess,
        entry: UInt64?,
        end: UInt64,
        _ error: any Error,
        _ retries: inout Int
    ) -> Bool {
        let timestamps = entry.map { started.timestamps(entry: $0, end: end) }
        let waited = plan.isTimed ? end &- min(end, started.start) : nil
        switch failure(of: error) {
        case .interrupted:
            // An interrupt that was not requested is an error.
            let isRequested = isInterruptRequested(error, since: started.start)
            recorder.finish(
                isRequested ? .interrupted : .failed("SQLITE_INTERRUPT"),
                timestamps,
                waited: waited
            )
        case .busy(let code):
            let willRetry = retries > 0 && control.stage < .stopped
            let failure = busyFailure(
                code,
                error,
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
            recorder.finish(.failed(code), timestamps, waited: waited, onCount: add)
        case .error(let code):
            errorMessages.add(error, code: code, client: plan.name.name)
            recorder.finish(.failed(code), timestamps, waited: waited)
        }
        return true
    }
}
