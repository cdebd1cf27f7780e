import CSQLite
import Telemetry

/// How a connection meets the locks of others.
extension ConnectionProbe {
    /// Sets how the connection meets a lock.
    ///
    /// SQLite's own timeout is not used: its waits could not be seen. The pointer to the probe
    /// stays valid because the probe outlives its connection.
    func install(busyMode: Database.BusyMode, on handle: OpaquePointer?) {
        self.busyMode.withLock { $0 = busyMode }
        let this = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_busy_handler(
            handle,
            { this, tries in
                guard let this else { return 0 }
                return Unmanaged<ConnectionProbe>.fromOpaque(this).takeUnretainedValue()
                    .meetLock(tries: Int(tries)) ? 1 : 0
            },
            this
        )
    }

    /// Answers whether to try again; waits before it says so, where the mode says how long.
    private func meetLock(tries: Int) -> Bool {
        let busyMode = busyMode.withLock { $0 }
        if case .immediateError = busyMode, let ownReaders = ownReaders.withLock({ $0 }) {
            let triesAgain = waiting {
                lockMet.withLock { ownReaders.mayBeInTheWay(tries: tries, &$0) }
            }
            if triesAgain { return true }
            noteLock()
            return false
        }
        if tries == 0 { noteLock() }
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

    private func noteLock() {
        didMeetLock()
        lockMetAt.store(steps.load(ordering: .relaxed), ordering: .relaxed)
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

    /// Counts a lock that was met.
    func didMeetLock() {
        busy.wrappingAdd(1, ordering: .relaxed)
        events.emit(label, .busy(by: holder))
    }
}
