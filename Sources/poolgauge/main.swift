import CSQLite

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

// Each prepare would otherwise take a process-wide lock for memory statistics that nobody here
// reads. It must come before SQLite's first use, and concerns the whole process: so the program
// asks for it by name, and the engine never does.
_ = poolgauge_config_memstatus(0)

// Who closes a pipe that we write to has seen enough: writing then fails instead of killing us.
signal(SIGPIPE, SIG_IGN)

do {
    var command = try Poolgauge.parseAsRoot(
        SQLArguments.expanded(Array(CommandLine.arguments.dropFirst()))
    )
    try command.run()
} catch {
    CommandFailure.exit(with: error)
}
