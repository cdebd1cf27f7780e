#if os(Linux)
import CTrace
import Glibc
import SQLiteWatch

/// A type that drops this process's privileges before it runs another program's code or SQL.
///
/// The process cannot regain these privileges.
enum ProcessSandbox {
    struct Limits {
        /// The processor time, in seconds.
        var processorSeconds: rlim_t
        /// The time after which a signal ends the process, in seconds.
        var seconds: UInt32
        /// The memory that the process may map beyond its current mappings, in bytes.
        var memory: rlim_t
        /// The number of processes, including this one, that may run at the same time.
        var processes: rlim_t = 0
        /// The maximum size of a file that the process writes, in bytes.
        var fileSize: rlim_t = 0
    }

    /// Limits processor time and memory, and prevents the creation of files and of
    /// processes beyond the limit.
    ///
    /// From now on, the process ends with the thread that started it, which waits for its answer.
    static func limit(to limits: Limits) {
        _ = endWithParent()
        var time = rlimit(rlim_cur: limits.processorSeconds, rlim_max: limits.processorSeconds)
        setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &time)
        // Sanitizers and runtimes reserve addresses, so exclude the current mappings from the
        // limit.
        let pages = ProcFile.text("/proc/self/statm", limit: 256)
            .flatMap { rlim_t($0.prefix { $0.isNumber }) }
        if let pages {
            let bytes = pages * rlim_t(sysconf(Int32(_SC_PAGESIZE))) + limits.memory
            var memory = rlimit(rlim_cur: bytes, rlim_max: bytes)
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory)
        }
        var zero = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &zero)
        limitFiles(to: limits.fileSize)
        // The other processes of an ordinary user count, too.
        if !isOrdinary || limits.processes == 0 { limitProcesses(to: limits.processes) }
        alarm(limits.seconds)
    }

    private static let parent = getppid()

    /// Returns whether the process has a parent, and will end with it.
    ///
    /// The kernel forgets this when the process changes its user.
    private static func endWithParent() -> Bool {
        // 1 is PR_SET_PDEATHSIG.
        poolgauge_prctl(1, UInt(SIGKILL)) == 0 && getppid() == parent
    }

    /// Limits the size of the files that the process writes, in bytes.
    static func limitFiles(to size: rlim_t) {
        var limit = rlimit(rlim_cur: size, rlim_max: size)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }

    /// Limits the number of processes, or prevents the creation of processes with 0.
    static func limitProcesses(to count: rlim_t) {
        var limit = rlimit(rlim_cur: count, rlim_max: count)
        setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit)
    }

    /// Whether the user of this process has no privileges to drop.
    ///
    /// Such a user examines only libraries of programs that have the same rights.
    static let isOrdinary: Bool = {
        guard getuid() != 0, geteuid() == getuid(), getegid() == getgid() else { return false }
        let sets = (ProcFile.text("/proc/self/status") ?? "").split(separator: "\n").filter {
            $0.hasPrefix("CapPrm:") || $0.hasPrefix("CapEff:") || $0.hasPrefix("CapAmb:")
        }
        return sets.count == 3
            && sets.allSatisfy { $0.split(separator: "\t").last.map { UInt64($0, radix: 16) } == 0 }
    }()

    /// Switches to a user without files, processes, or capabilities, unless the user has no privileges.
    ///
    /// - Parameter descriptor: The first descriptor to close.
    /// - Returns: `false` if privileges could not be dropped. The process must then exit.
    static func dropPrivileges(closingFrom descriptor: Int32) -> Bool {
        guard poolgauge_close_from(UInt32(descriptor)) == 0 else { return false }
        // Isolate the network, mounts, and shared memory if the system permits it. The other steps
        // do not depend on this.
        _ = poolgauge_unshare()
        // This ID is above the IDs of users, containers, and services, so no account has it.
        let user = uid_t(0x7a00_0000) + uid_t(getpid())
        let isOrdinary = isOrdinary
        guard isOrdinary || poolgauge_become(user) == 0 else { return false }
        // 38 is PR_SET_NO_NEW_PRIVS. 4 is PR_SET_DUMPABLE, without which root owns /proc/self.
        guard poolgauge_prctl(38, 1) == 0, poolgauge_prctl(4, 1) == 0 else { return false }
        let isDropped = isOrdinary || getuid() == user && geteuid() == user
        return isDropped && setuid(0) != 0 && endWithParent()
    }
}
#endif
