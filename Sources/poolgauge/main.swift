import CSQLite

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

// Turn off memory statistics, which this program does not read. With statistics on, each prepare
// acquires a process-wide lock to update them. The call must precede the first use of SQLite and
// affects the whole process, so only the program makes it, never the engine.
_ = poolgauge_config_memstatus(0)

// After this call, writing to a closed pipe fails with EPIPE instead of ending the process.
signal(SIGPIPE, SIG_IGN)

do {
    var command = try Poolgauge.parseAsRoot(
        SQLArguments.expanded(Array(CommandLine.arguments.dropFirst()))
    )
    try command.run()
} catch {
    CommandFailure.exit(with: error)
}
