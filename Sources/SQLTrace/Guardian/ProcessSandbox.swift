#if os(Linux)
import CTrace
import Glibc
import SQLiteWatch

/// Takes the privileges of this process away, before it runs what another program supplied.
///
/// Neither step can be undone by the process.
enum ProcessSandbox {
    /// What the process may use.
    struct Limits {
        /// Seconds of processor time.
        var processorSeconds: rlim_t
        /// Seconds until a signal ends the process.
        var seconds: UInt32
        /// The bytes of memory that it may map in addition to its present mappings.
        var memory: rlim_t
    }

    /// Limits the processor time, the memory, and the files and processes that can be made.
    static func limit(to limits: Limits) {
        var time = rlimit(rlim_cur: limits.processorSeconds, rlim_max: limits.processorSeconds)
        setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &time)
        // Sanitizers and runtimes reserve addresses: what is mapped now does not count.
        let pages = ProcFile.text("/proc/self/statm", limit: 256)
            .flatMap { rlim_t($0.prefix { $0.isNumber }) }
        if let pages {
            let bytes = pages * rlim_t(sysconf(Int32(_SC_PAGESIZE))) + limits.memory
            var memory = rlimit(rlim_cur: bytes, rlim_max: bytes)
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory)
        }
        var nothing = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &nothing)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &nothing)
        setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &nothing)
        alarm(limits.seconds)
    }

    /// Becomes a user without files, processes or capabilities.
    ///
    /// - Parameter descriptor: The first descriptor that is closed.
    /// - Returns: Whether it succeeded; otherwise the process must end.
    static func dropPrivileges(closingFrom descriptor: Int32) -> Bool {
        guard poolgauge_close_from(UInt32(descriptor)) == 0 else { return false }
        // Where the system permits it: without a network, and without the mounts and the shared
        // memory of others. The rest does not depend on it.
        _ = poolgauge_unshare()
        // An identity that no account has: above those of users, containers and services.
        let user = uid_t(0x7a00_0000) + uid_t(getpid())
        guard poolgauge_become(user) == 0 else { return false }
        // 38 is PR_SET_NO_NEW_PRIVS, 4 is PR_SET_DUMPABLE: without it, /proc/self is root's.
        guard poolgauge_prctl(38, 1) == 0, poolgauge_prctl(4, 1) == 0 else { return false }
        return getuid() == user && geteuid() == user && setuid(0) != 0
    }
}
#endif
