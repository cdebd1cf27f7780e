import CSQLite
import Telemetry

/// How a connection handles locks of other connections.
extension ConnectionProbe {
    /// Sets how the connection handles a lock.
    ///
    /// SQLite's timeout is not used, because its waits cannot be measured. The pointer to the probe
    /// stays valid because the probe outlives its connection.
    func install(busyMode: Database.BusyMode, on handle: OpaquePointer?) {
        self.busyMode.withLock { $0 = busyMode }
        let this = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_busy_handler(
            handle,
            { this, tries in
                guard let this else { return 0 }
                return Unmanaged<ConnectionProbe>.fromOpaque(this).takeUnretainedValue()
                    .handleLock(tries: Int(tries)) ? 1 : 0
            },
            this
        )
    }

    /// Waits as long as the mode requires, and returns whether to try again.
    private func handleLock(tries: Int) -> Bool {
        let busyMode = busyMode.withLock { $0 }
        if case .immediateError = busyMode, let ownReaders = ownReaders.withLock({ $0 }) {
            let triesAgain = waiting {
                encounteredLock.withLock { ownReaders.mayHoldLock(tries: tries, &$0) }
            }
            if triesAgain { return true }
            recordLock()
            return false
        }
        if tries == 0 { recordLock() }
        switch busyMode {
        case .immediateError:
            return false
        case .callback(let callback):
            return waiting { callback(tries) }
        case .timeout(let seconds):
            guard let pause = BusyBackoff.pause(tries: tries, timeout: seconds) else {
                return false
            }
            return waiting {
                sqlite3_sleep(CInt(pause))
                return true
            }
        }
    }

    private func recordLock() {
        didEncounterLock()
        lockStep.store(steps.load(ordering: .relaxed), ordering: .relaxed)
    }

    private func waiting(_ body: () -> Bool) -> Bool {
        isWaitingForLock.store(true, ordering: .relaxed)
        let start = monotonicNanoseconds()
        defer {
            busyWait.wrappingAdd(monotonicNanoseconds() &- start, ordering: .relaxed)
            isWaitingForLock.store(false, ordering: .relaxed)
        }
        return body()
    }

    /// Counts an encountered lock.
    func didEncounterLock() {
        busy.wrappingAdd(1, ordering: .relaxed)
        events.emit(label, .busy(by: holder))
    }
}
