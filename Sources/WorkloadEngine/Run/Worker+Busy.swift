import Foundation

extension Worker {
    /// Classifies an attempt that found the database busy.
    ///
    /// - Returns: The failure to add to the ledger, or `nil` to add none.
    func busyFailure(
        _ code: String,
        _ error: any Error,
        isRetried: Bool,
        isMeasured: Bool
    ) -> BusyLedger.Failure? {
        let process = lockHolder()
        // In a load test, the wait for a lock is unknown.
        guard isMeasured, closures == nil else { return nil }
        let details = target.busyFailure(of: error) ?? BusyFailure()
        let timeout = busy.timeout
        guard let cause = BusyCause(code: code, handler: details.handler, timeout: timeout) else {
            return nil
        }
        var failure = BusyLedger.Failure(cause: cause, client: plan.name.name, code: code)
        failure.statement = details.statement
        failure.timeout = timeout
        failure.isRetried = isRetried
        switch details.handler {
        case .unknown: break
        case .skipped: failure.waited = 0
        case .gaveUp(let waited, let limit):
            failure.waited = waited
            failure.timeout = limit ?? timeout
        }
        failure.holder = details.holder ?? process ?? busy.longestRunning(except: recorder, cause)
        return failure
    }

    /// Counts a blocked checkpoint that lasted `time` nanoseconds.
    func countBlocked(_ mode: CheckpointMode, for time: UInt64, isMeasured: Bool) {
        guard isMeasured, control.stage < .sealed else { return }
        var failure = BusyLedger.Failure(cause: .checkpoint, client: plan.name.name)
        failure.statement = mode.sql
        failure.waited = mode == .passive ? 0 : time
        failure.timeout = busy.timeout
        failure.holder = busy.longestRunning(except: recorder, .checkpoint)
        busy.ledger.add(failure)
    }

    /// Returns the holder of the lock, or `nil` if the holder is unknown.
    ///
    /// The holder is a process, or a client if this process holds the lock.
    private func lockHolder() -> String? {
        guard let holders else { return nil }
        let process = (target as? RemoteTarget)?.processIdentifier ?? getpid()
        let (holder, isNew) = holders.countBusy(in: process, at: clock.now())
        if isNew {
            events.note("\(plan.name.name): the database is locked by \(holder)", .warning)
        }
        switch holder {
        case LockHolders.unknown: return nil
        case LockHolders.thisProcess: return busy.writingClient() ?? holder
        default: return holder
        }
    }
}
