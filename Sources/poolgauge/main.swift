import Text

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

// Make writes to a closed pipe fail with EPIPE. By default, they end the process.
signal(SIGPIPE, SIG_IGN)

do {
    // An argument may be the name of a file that is not UTF-8.
    let arguments = (1..<max(1, Int(CommandLine.argc))).compactMap { number in
        CommandLine.unsafeArgv[number].map { argument in
            PathText.text(of: UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
        }
    }
    try Poolgauge.checkCommandNames(in: arguments)
    var command = try Poolgauge.parseAsRoot(SQLArguments.expanded(arguments))
    try command.run()
} catch {
    CommandFailure.exit(with: error)
}
