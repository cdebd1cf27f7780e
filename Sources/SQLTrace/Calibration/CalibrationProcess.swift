#if os(Linux)
import CTrace
import Glibc

/// The process that loads another program's library to find its layout.
///
/// The library may be malicious: loading it runs its code. The process therefore gives up all
/// privileges first, and its answer is checked by ``StatementLayout/init(text:)``.
public enum SQLCalibration {
    /// The descriptor on which the process finds the library's copy.
    static let library: Int32 = 3

    /// Finds the layout of the library on descriptor 3, and writes it to standard output.
    ///
    /// A program that traces calls this from the command that it passes to a session.
    ///
    /// - Parameter measuresCost: Whether it measures what probes cost instead: it then waits for a
    ///   byte on standard input before it measures with probes.
    public static func run(measuresCost: Bool = false) {
        do throws(LayoutSearch.Failure) {
            try dropPrivileges()
            guard
                let file = ELFFile(
                    isWanted: { _ in true },
                    read: { DescriptorFile.read(library, at: $0, count: $1) }
                )
            else { throw LayoutSearch.Failure(reason: "it is no library") }
            // Its own symbols must precede those of the SQLite that this program is linked with.
            guard let handle = poolgauge_load("/proc/self/fd/\(library)") else {
                let reason = dlerror().map { String(cString: $0) } ?? "unknown error"
                throw LayoutSearch.Failure(reason: "it cannot be loaded: \(reason)")
            }
            guard let functions = SQLiteFunctions(handle, file) else {
                throw LayoutSearch.Failure(reason: "it lacks functions that calibration calls")
            }
            if measuresCost {
                try measureCost(CostLoop(sqlite: functions))
            } else {
                answer(try LayoutSearch(functions).layout().text)
            }
        } catch {
            answer("failure=\(error.reason)\n")
        }
        // The library's destructors are not needed.
        _exit(0)
    }

    /// Becomes a user without files, processes or capabilities.
    private static func dropPrivileges() throws(LayoutSearch.Failure) {
        let failure = LayoutSearch.Failure(reason: "privileges cannot be dropped")
        guard poolgauge_close_from(UInt32(library) + 1) == 0 else { throw failure }
        var processorTime = rlimit(rlim_cur: 5, rlim_max: 5)
        var nothing = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &processorTime)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &nothing)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &nothing)
        // Processes: the library cannot create one.
        setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &nothing)
        // An identity that no account has: above those of users, containers and services.
        let user = uid_t(0x7a00_0000) + uid_t(getpid())
        guard poolgauge_become(user) == 0 else { throw failure }
        // 38 is PR_SET_NO_NEW_PRIVS, 4 is PR_SET_DUMPABLE: without it, /proc/self is root's.
        guard poolgauge_prctl(38, 1) == 0, poolgauge_prctl(4, 1) == 0 else { throw failure }
        guard getuid() == user, geteuid() == user, setuid(0) != 0 else { throw failure }
    }

    private static func measureCost(_ loop: CostLoop) throws(LayoutSearch.Failure) {
        let failure = LayoutSearch.Failure(reason: "the cost cannot be measured")
        guard let plain = loop.measure() else { throw failure }
        answer("\n")
        var byte: UInt8 = 0
        guard read(STDIN_FILENO, &byte, 1) == 1, let probed = loop.measure() else { throw failure }
        let reset = probed.reset - plain.reset
        answer("reset=\(reset)\nstep=\(probed.step - plain.step)\nplain=\(plain.step)\n")
    }

    private static func answer(_ text: String) {
        _ = DescriptorFile.write(Array(text.utf8), to: STDOUT_FILENO)
    }
}
#endif
