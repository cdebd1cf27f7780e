import Foundation

extension Worker {
    /// What an attempt tells about itself.
    struct Attempt {
        // Unsafe: an attempt is a local variable of the worker that owns the recorder, and a
        // counted reference would cost each access two atomic operations.
        fileprivate unowned(unsafe) let recorder: WorkerRecorder

        /// Whether its processor time is looked at.
        fileprivate var isSampled = false
        /// The thread's processor time at the entry, in nanoseconds; nil when nobody looks.
        fileprivate private(set) var processorTime: UInt64?

        /// When the closure was entered, on the clock; nil when it was not.
        var entry: UInt64? {
            didSet {
                guard let entry else { return }
                recorder.enter(at: entry)
                if isSampled { processorTime = MonotonicClock.threadProcessorTime() }
            }
        }
    }

    /// Makes one access: skips it when it is too late, times it, tries again when the database is
    /// busy, and counts how it ended.
    ///
    /// - Parameters:
    ///   - operation: The index of its operation.
    ///   - turn: Its turn.
    ///   - attempt: Makes the access and stamps the entry into its closure.
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

    /// Whether the processor time of an access that starts now is looked at.
    ///
    /// An access of another process uses that one's processor time.
    @inline(__always)
    private func isSampleDue(at now: UInt64) -> Bool {
        guard now >= nextSample, plan.client.style == .sync else { return false }
        nextSample = now &+ ProcessorTally.interval
        return true
    }

    /// The moments of an access that has begun, on the clock.
    struct Begun {
        /// When it was meant to start; its start where there is no schedule.
        var intended: UInt64
        /// When it started.
        var start: UInt64

        /// All moments of the access, once it has ended.
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

    /// Counts an access that begins; nil for one that is too late or must not begin any more.
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
            wasFree: turn.wasFree
        )
        guard mayStart else {
            isAbandoned = true
            if turn.isScheduled { recorder.leave(in: turn.phase) }
            return nil
        }
        return Begun(intended: turn.isScheduled ? turn.intended : start, start: start)
    }

    /// Counts how an attempt ended.
    ///
    /// - Returns: False when the database was busy and the access is tried again.
    @inline(__always)
    func conclude(
        _ begun: Begun,
        entry: UInt64?,
        _ processorTime: UInt64?,
        _ error: (any Error)?,
        _ retries: inout Int
    ) -> Bool {
        // An access that was cut short never ends: the final count finds it running.
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
        let stamps = entry.map { begun.stamps(entry: $0, end: clock.now()) }
        switch failure(of: error) {
        case .interrupted:
            recorder.finish(.interrupted, stamps)
        case .busy(let code):
            noteHolder()
            if retries > 0, control.stage < .stopped {
                retries -= 1
                recorder.retry()
                return false
            }
            recorder.finish(.failed(code), stamps)
        case .error(let code):
            recorder.finish(.failed(code), stamps)
        }
        return true
    }

    /// Finds out who else is in the way of an access that found the database busy.
    private func noteHolder() {
        guard let holders else { return }
        let process = (target as? RemoteTarget)?.processIdentifier ?? getpid()
        if let holder = holders.countBusy(in: process, at: clock.now()) {
            events.note("\(plan.name.name) finds the database locked by \(holder)", .warning)
        }
    }
}
