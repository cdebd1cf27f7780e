#if os(Linux)
import Glibc
import Telemetry

/// The processes of the watched databases: who they are, what they use, and whether they wait.
struct ProcessRegister {
    /// The processes that have the files open.
    var scan: DescriptorScan

    private var facts: [Int32: ProcessFacts] = [:]
    private var shares: [Int32: Double] = [:]
    private var ticks: [Int32: (ticks: UInt64, startTicks: UInt64, at: UInt64)] = [:]
    private var nextList: UInt64 = 0
    private var nextSlice: UInt64 = 0
    private var nextRound: UInt64 = 0
    private var nextLook: UInt64 = 0
    /// Whether a round should start as soon as the current one is complete.
    private var isAwaitingUsers = false
    /// Whether the current round was started for that.
    private var isUrgent = false
    /// Whether waiting could not be seen for lack of permission.
    private var isWaitingHidden = false
    private var looks: [Int32] = []
    #if arch(x86_64)
    private var busyWait = BusyWait()
    #endif

    /// Processor time of looks for waiting threads since it was set to 0, in nanoseconds.
    var lookNanoseconds: UInt64 = 0

    /// Nanoseconds between two lists of all processes.
    private static let listPause: UInt64 = 1_000_000_000
    /// Nanoseconds between two slices of a scan, and how long one may take.
    private static let slicePause: UInt64 = 100_000_000
    private static let slice: UInt64 = 250_000
    /// How long a slice may take while the users of a new file are looked for.
    private static let urgentSlice: UInt64 = 3_000_000
    /// Nanoseconds between two rounds of a scan, at least.
    private static let roundPause: UInt64 = 10_000_000_000
    /// Nanoseconds between two looks for waiting threads, and how long one may take.
    private static let lookPause: UInt64 = 100_000_000
    private static let look: UInt64 = 250_000
    /// Facts of ended processes that are kept for episodes.
    private static let capacity = 4_096

    init(ownProcess: Int32?) {
        scan = DescriptorScan()
        if let ownProcess { scan.exclude(ownProcess) }
    }

    /// The processes that are left out.
    var excluded: Set<Int32> { scan.excluded }

    /// Does the part of the scan that is due.
    mutating func proceed(at now: UInt64) {
        let isFirst = nextList == 0
        if now >= nextList {
            scan.list(at: now)
            nextList = now + Self.listPause
        }
        if isFirst {
            scan.proceed(at: now, for: nil, clock: monotonicNanoseconds)
            isAwaitingUsers = false
            nextRound = now + Self.roundPause
        } else if now >= nextSlice {
            if scan.isComplete {
                isUrgent = isAwaitingUsers
                if isAwaitingUsers || now >= nextRound {
                    scan.restart()
                    nextRound = now + Self.roundPause
                    isAwaitingUsers = false
                }
            }
            let slice = isUrgent ? Self.urgentSlice : Self.slice
            scan.proceed(at: now, for: slice, clock: monotonicNanoseconds)
            nextSlice = now + Self.slicePause
        }
    }

    /// Scans all processes soon, because a database has appeared.
    mutating func expectNewUsers() { isAwaitingUsers = true }

    /// Reads the facts of a process on first sight, before it ends.
    mutating func meet(_ process: Int32) {
        guard facts[process] == nil else { return }
        if facts.count >= Self.capacity {
            facts = facts.filter { exists($0.key) }
        }
        facts[process] = ProcessFacts(process: process)
        if let line = ProcFile.read("/proc/\(process)/stat"), let status = ProcessStat(line) {
            ticks[process] = (status.ticks, status.startTicks, monotonicNanoseconds())
        }
    }

    /// Whether a process is visible.
    func exists(_ process: Int32) -> Bool {
        var information = stat()
        return stat("/proc/\(process)", &information) == 0
    }

    /// Measures the processor time of processes since the last call.
    mutating func measure(_ processes: Set<Int32>, at now: UInt64) {
        let second = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        var next: [Int32: (ticks: UInt64, startTicks: UInt64, at: UInt64)] = [:]
        shares = [:]
        for process in processes {
            guard let line = ProcFile.read("/proc/\(process)/stat"),
                let status = ProcessStat(line)
            else { continue }
            if facts[process]?.startTicks != status.startTicks
                || facts[process]?.name != status.name
            {
                facts[process] = ProcessFacts(process: process)
            }
            if let before = ticks[process], before.startTicks == status.startTicks, now > before.at
            {
                let used = Double(status.ticks &- before.ticks) / second
                shares[process] = used / (Double(now - before.at) / 1e9)
            }
            next[process] = (status.ticks, status.startTicks, now)
        }
        ticks = next
    }

    /// What a report shows of a process.
    func facts(of process: Int32) -> DatabaseMonitor.Process? {
        facts[process].map { facts in
            DatabaseMonitor.Process(
                name: facts.name,
                user: facts.user,
                commandLine: facts.commandLine,
                processorShare: shares[process]
            )
        }
    }

    /// Whether processes may be checked for waiting threads now.
    func isCheckDue(at now: UInt64) -> Bool { now >= nextLook }

    /// Whether processes wait in a busy handler; those that this look had time for.
    mutating func waiting(among processes: Set<Int32>, at now: UInt64) -> [Int32: Bool] {
        #if arch(x86_64)
        guard now >= nextLook else { return [:] }
        nextLook = now + Self.lookPause
        looks.removeAll { !processes.contains($0) }
        looks += processes.subtracting(looks)
        busyWait.keep(only: processes)
        var found: [Int32: Bool] = [:]
        let start = monotonicNanoseconds()
        for _ in looks.indices {
            let process = looks.removeFirst()
            looks.append(process)
            meet(process)
            guard let startTicks = facts[process]?.startTicks else { continue }
            if let isWaiting = busyWait.isWaiting(process, startTicks: startTicks) {
                found[process] = isWaiting
            } else if exists(process) {
                isWaitingHidden = true
            }
            if monotonicNanoseconds() &- start > Self.look { break }
        }
        lookNanoseconds &+= monotonicNanoseconds() &- start
        return found
        #else
        return [:]
        #endif
    }

    /// What cannot be seen, and how to see it.
    var notes: [String] {
        var notes: [String] = []
        if !scan.hidden.isEmpty {
            let count = scan.hidden.count
            notes.append(
                "The open files of \(count) other process\(count == 1 ? "" : "es") are not visible "
                    + "to this user: where they use a rollback journal, they are listed only while "
                    + "they hold a lock. Run as root to see them."
            )
        }
        if let namespace = ProcFile.link("/proc/self/ns/pid"),
            namespace != "pid:[4026531836]"
        {
            notes.append(
                "This runs in a PID namespace, as in a container: processes outside of it are not "
                    + "listed. Run on the host, or with --pid=host, to see them."
            )
        }
        #if arch(x86_64)
        if isWaitingHidden {
            notes.append(
                "Whether some processes wait for a lock cannot be inferred, because this user may "
                    + "not read their stacks. Run as their user with kernel.yama.ptrace_scope=0, or "
                    + "as root, to see it."
            )
        }
        #else
        notes.append("Whether a process waits for a lock is inferred on x86_64 only.")
        #endif
        return notes
    }
}
#endif
