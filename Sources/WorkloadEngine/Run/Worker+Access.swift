extension Worker {
    /// The times of an attempt.
    struct Attempt {
        // The unowned reference is safe because an attempt is a local variable of the worker that
        // owns the recorder. A strong reference would add two atomic operations to each access.
        fileprivate unowned(unsafe) let recorder: WorkerRecorder

        /// Whether the processor time is measured.
        fileprivate var isSampled = false
        /// The thread's processor time at the entry, in nanoseconds, or `nil` if it is not
        /// measured.
        fileprivate private(set) var processorTime: UInt64?

        /// The clock time of the entry into the closure, or `nil` if the closure was not entered.
        var entry: UInt64? {
            didSet {
                guard let entry else { return }
                recorder.enter(at: entry)
                if isSampled { processorTime = MonotonicClock.threadProcessorTime() }
            }
        }
    }

    /// Makes one access.
    ///
    /// This method skips the access if it is too late, measures its times, retries it while the
    /// database is busy, and counts its outcome.
    ///
    /// - Parameters:
    ///   - operation: The index of the access's operation.
    ///   - turn: The turn that the access uses.
    ///   - attempt: A function that makes the access and records the entry into its closure.
    @inline(__always)
    func access(
        _ operation: Int,
        _ turn: Turn,
        _ attempt: (inout Attempt) throws -> Void
    ) {
        guard let begun = begin(operation, turn) else { return }
        var retries = plan.client.busyRetries
        while true {
            var state = Attempt(recorder: recorder)
            state.isSampled = isSampleDue(at: begun.start)
            var failure: (any Error)?
            do { try attempt(&state) } catch { failure = error }
            let used = state.processorTime.map { MonotonicClock.threadProcessorTime() &- $0 }
            if conclude(begun, entry: state.entry, used, failure, &retries) { return }
        }
    }

    /// Returns whether to measure the processor time of an access that starts now.
    ///
    /// The processor time of an access in another process or in a task cannot be measured on this
    /// thread.
    @inline(__always)
    private func isSampleDue(at now: UInt64) -> Bool {
        guard now >= nextSample, plan.client.style == .sync else { return false }
        nextSample = now &+ ProcessorTally.interval
        return true
    }

    /// A started access's clock times.
    struct Begun {
        /// The intended start, or the actual start if there is no schedule.
        var intended: UInt64
        /// The start.
        var start: UInt64
        /// Whether the access is measured.
        var isMeasured: Bool

        /// Returns the times of the access, which entered its closure at `entry` and ended at
        /// `end`.
        @inline(__always)
        func stamps(entry: UInt64, end: UInt64) -> WorkerRecorder.Stamps {
            let start = min(self.start, entry)
            return WorkerRecorder.Stamps(
                intended: min(intended, end),
                start: start,
                entry: entry,
                end: end
            )
        }
    }

    /// Counts the start of an access and returns its times.
    ///
    /// Returns `nil` if the access is too late or if no more accesses may start.
    @inline(__always)
    func begin(_ operation: Int, _ turn: Turn) -> Begun? {
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
            // A closure's entry is unknown until the access ends. An action does not wait.
            at: closures == nil && plan.isTimed ? start : nil
        )
        guard mayStart else {
            isAbandoned = true
            if turn.isScheduled { recorder.countUnstarted(in: turn.phase) }
            return nil
        }
        return Begun(
            intended: turn.isScheduled ? turn.intended : start,
            start: start,
            isMeasured: turn.phase.isMeasured
        )
    }

    /// Counts the outcome of an attempt.
    ///
    /// - Returns: `false` if the database was busy and the access must be retried.
    @inline(__always)
    func conclude(
        _ begun: Begun,
        entry: UInt64?,
        _ processorTime: UInt64?,
        _ error: (any Error)?,
        _ retries: inout Int
    ) -> Bool {
        // An abandoned access never ends, so the final count includes it as running.
        if isAbandoned { return true }
        if let error { return concludeFailed(begun, entry: entry, error, &retries) }
        values.publish()
        let end = clock.now()
        var stamps = begun.stamps(entry: entry ?? end, end: end)
        stamps.processorTime = processorTime
        recorder.finish(.completed, plan.isTimed ? stamps : nil)
        return true
    }

    private func concludeFailed(
        _ begun: Begun,
        entry: UInt64?,
        _ error: any Error,
        _ retries: inout Int
    ) -> Bool {
        let end = clock.now()
        let stamps = entry.map { begun.stamps(entry: $0, end: end) }
        let waited = plan.isTimed ? end &- min(end, begun.start) : nil
        switch failure(of: error) {
        case .interrupted:
            // An interrupt that was not requested is an error.
            let isRequested = isInterruptRequested(error, since: begun.start)
            recorder.finish(
                isRequested ? .interrupted : .failed("SQLITE_INTERRUPT"),
                stamps,
                waited: waited
            )
        case .busy(let code):
            let isRetried = retries > 0 && control.stage < .stopped
            let failure = busyFailure(
                code,
                error,
                isRetried: isRetried,
                isMeasured: begun.isMeasured
            )
            // Add to the ledger only the failures that the recorder counts.
            let add = { [ledger = busy.ledger] in
                if let failure { ledger.add(failure) }
            }
            if isRetried {
                retries -= 1
                recorder.retry(onCount: add)
                return false
            }
            recorder.finish(.failed(code), stamps, waited: waited, onCount: add)
        case .error(let code):
            errorMessages.add(error, code: code, client: plan.name.name)
            recorder.finish(.failed(code), stamps, waited: waited)
        }
        return true
    }
}
