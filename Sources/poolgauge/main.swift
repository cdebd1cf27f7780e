import CSQLite

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

// Turn off memory statistics, which this program does not read. With statistics on, each prepare
// acquires a process-wide lock. The call must precede the first use of SQLite. It affects the whole
// process, so the program makes the call, not the engine.
_ = poolgauge_config_memstatus(0)

// Make writes to a closed pipe fail with EPIPE. By default, they end the process.
signal(SIGPIPE, SIG_IGN)

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    try Poolgauge.checkCommandNames(in: arguments)
    var command = try Poolgauge.parseAsRoot(SQLArguments.expanded(arguments))
    try command.run()
} catch {
    CommandFailure.exit(with: error)
}
