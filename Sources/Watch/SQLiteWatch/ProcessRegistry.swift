#if os(Linux)
import Glibc
import Telemetry

/// A registry that records facts, processor time, and waits of the processes that use the watched
/// databases.
struct ProcessRegistry {
    var scan: DescriptorScan

    private var facts: [Int32: ProcessFacts] = [:]
    private var shares: [Int32: Double] = [:]
    private var ticks: [Int32: (ticks: UInt64, startTicks: UInt64, time: UInt64)] = [:]
    private var nextListTime: UInt64 = 0
    private var nextSliceTime: UInt64 = 0
    private var nextRoundTime: UInt64 = 0
    private var nextCheckTime: UInt64 = 0
    /// Whether a new round should start immediately after the current round, to find the users of a
    /// new file.
    private var isAwaitingUsers = false
    /// Whether new users triggered the current round.
    private var isUrgent = false
    /// Whether the current user lacks the permission to detect waiting threads in a process.
    private var cannotDetectWaits = false
    private var checkQueue: [Int32] = []
    #if arch(x86_64)
    private var busyWait = BusySleep()
    #endif

    /// The processor time of checks for waiting threads since the last reset, in nanoseconds.
    var checkNanoseconds: UInt64 = 0

    /// The time between two listings of all processes, in nanoseconds.
    private static let listPause: UInt64 = 1_000_000_000
    /// The time between two slices of a scan, in nanoseconds.
    private static let slicePause: UInt64 = 100_000_000
    /// The time limit of a slice, in nanoseconds.
    private static let sliceTime: UInt64 = 250_000
    /// The time limit of a slice while searching for the users of a new file, in nanoseconds.
    private static let urgentSliceTime: UInt64 = 3_000_000
    /// The minimum time between two rounds of a scan, in nanoseconds.
    private static let roundPause: UInt64 = 10_000_000_000
    /// The time between two checks for waiting threads, in nanoseconds.
    private static let checkPause: UInt64 = 100_000_000
    /// The time limit of a check, in nanoseconds.
    private static let checkTime: UInt64 = 250_000
    /// The number of recorded processes above which the facts about terminated processes are
    /// discarded.
    private static let capacity = 4_096

    init(ownProcess: Int32?) {
        scan = DescriptorScan()
        if let ownProcess { scan.exclude(ownProcess) }
    }

    var excluded: Set<Int32> { scan.excludedProcesses }

    /// Lists processes and scans a slice of them at regular intervals.
    mutating func proceed(at now: UInt64) {
        let isFirst = nextListTime == 0
        if now >= nextListTime {
            scan.list(at: now)
            nextListTime = now + Self.listPause
        }
        if isFirst {
            scan.proceed(at: now, for: nil, clock: monotonicNanoseconds)
            isAwaitingUsers = false
            nextRoundTime = now + Self.roundPause
        } else if now >= nextSliceTime {
            if scan.isComplete {
                isUrgent = isAwaitingUsers
                if isAwaitingUsers || now >= nextRoundTime {
                    scan.restart()
                    nextRoundTime = now + Self.roundPause
                    isAwaitingUsers = false
                }
            }
            let limit = isUrgent ? Self.urgentSliceTime : Self.sliceTime
            scan.proceed(at: now, for: limit, clock: monotonicNanoseconds)
            nextSliceTime = now + Self.slicePause
        }
    }

    /// Requests an early scan of all processes because a database has appeared.
    mutating func expectNewUsers() { isAwaitingUsers = true }

    mutating func recordFacts(of process: Int32) {
        guard facts[process] == nil else { return }
        if facts.count >= Self.capacity {
            facts = facts.filter { exists($0.key) }
        }
        facts[process] = ProcessFacts(process: process)
        if let status = ProcessStat(of: process) {
            ticks[process] = (status.ticks, status.startTicks, monotonicNanoseconds())
        }
    }

    /// Returns whether a process is visible.
    func exists(_ process: Int32) -> Bool {
        var information = stat()
        return stat("/proc/\(process)", &information) == 0
    }

    /// Measures the processor time of processes since the last call.
    mutating func measure(_ processes: Set<Int32>, at now: UInt64) {
        let second = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        var next: [Int32: (ticks: UInt64, startTicks: UInt64, time: UInt64)] = [:]
        shares = [:]
        for process in processes {
            guard let status = ProcessStat(of: process) else { continue }
            let known = facts[process]
            if known?.startTicks != status.startTicks
                // A process that has ended has no arguments anymore.
                || known?.command != status.name && status.state != "Z"
            {
                facts[process] = ProcessFacts(process: process)
            }
            if let before = ticks[process], before.startTicks == status.startTicks,
                now > before.time
            {
                let used = Double(status.ticks &- before.ticks) / second
                shares[process] = used / (Double(now - before.time) / 1e9)
            }
            next[process] = (status.ticks, status.startTicks, now)
        }
        ticks = next
    }

    func facts(of process: Int32) -> DatabaseMonitor.Process? {
        facts[process].map { facts in
            DatabaseMonitor.Process(
                name: facts.name,
                user: facts.user,
                commandLine: facts.commandLine,
                arguments: facts.arguments,
                isOrphan: facts.isOrphan,
                processorShare: shares[process]
            )
        }
    }

    func isCheckDue(at now: UInt64) -> Bool { now >= nextCheckTime }

    /// Checks as many processes as the time limit permits, and returns, for each checked process,
    /// whether it is waiting in a busy handler and, for the lock holders, whether it is waiting for
    /// the disk.
    mutating func waitStates(
        of processes: Set<Int32>,
        holders: Set<Int32>,
        at now: UInt64
    ) -> (waiting: [Int32: Bool], syncing: [Int32: Bool]) {
        #if arch(x86_64)
        guard now >= nextCheckTime else { return ([:], [:]) }
        nextCheckTime = now + Self.checkPause
        checkQueue.removeAll { !processes.contains($0) }
        checkQueue += processes.subtracting(checkQueue)
        busyWait.discardAll(except: processes)
        var found: [Int32: Bool] = [:]
        var syncing: [Int32: Bool] = [:]
        let start = monotonicNanoseconds()
        for _ in checkQueue.indices {
            let process = checkQueue.removeFirst()
            checkQueue.append(process)
            recordFacts(of: process)
            guard let startTicks = facts[process]?.startTicks else { continue }
            if let state = busyWait.state(of: process, startTicks: startTicks) {
                found[process] = state.isWaiting
                if holders.contains(process) { syncing[process] = state.isSyncing }
            } else if exists(process) {
                cannotDetectWaits = true
            }
            if monotonicNanoseconds() &- start > Self.checkTime { break }
        }
        checkNanoseconds &+= monotonicNanoseconds() &- start
        return (found, syncing)
        #else
        return ([:], [:])
        #endif
    }

    /// The limitations of monitoring, with remedies.
    var notes: [String] {
        var notes: [String] = []
        if !scan.hiddenProcesses.isEmpty {
            let count = scan.hiddenProcesses.count
            notes.append(
                "The open files of \(count) other process\(count == 1 ? "" : "es") are not visible "
                    + "to this user: with a rollback journal, such processes are listed only while "
                    + "they hold a lock. Run as root to see them."
            )
        }
        if let namespace = ProcFile.link("/proc/self/ns/pid"),
            namespace != "pid:[4026531836]"
        {
            notes.append(
                "This program runs in a PID namespace, as in a container: processes outside it "
                    + "are not listed. Run on the host, or with --pid=host, to see them."
            )
        }
        #if arch(x86_64)
        if cannotDetectWaits {
            notes.append(
                "Lock waits of some processes cannot be detected, because this user cannot read "
                    + "their stacks. Run as their user with kernel.yama.ptrace_scope=0, or as root."
            )
        }
        #else
        notes.append("Lock waits of processes are detected only on x86_64.")
        #endif
        return notes
    }
}
#endif
