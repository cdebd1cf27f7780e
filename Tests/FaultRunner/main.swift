import FaultPaths
import FaultVFS
import Foundation

// Injects faults that affect a whole process.
//
//     FaultRunner allocations PATH once|always STRIDE
//         makes each allocation by SQLite along a path fail
//     FaultRunner descriptors PATH STRIDE
//         follows a path with 0, STRIDE, 2 × STRIDE, … free descriptors
//     FaultRunner clock FILE
//         follows all paths while libfaketime, controlled by FILE, sets the clock back
//     FaultRunner read-only
//         makes a file and its folder read-only while a database is open
//
// The process writes a line before each attack, and `finding: TEXT` for each violated guarantee.
// It writes `attacks: COUNT` before it exits with status 0. A signal ends an attack that hangs.

let arguments = Array(CommandLine.arguments.dropFirst())
// A parent may have blocked the signal of a timeout.
var timeout = sigset_t()
sigemptyset(&timeout)
sigaddset(&timeout, SIGALRM)
sigprocmask(SIG_UNBLOCK, &timeout, nil)
do {
    switch (arguments.first, arguments.count) {
    case ("allocations", 4): try AllocationAttack(arguments).run()
    case ("descriptors", 3): try DescriptorAttack(arguments).run()
    case ("clock", 2): try ClockAttack(file: arguments[1]).run()
    case ("read-only", 1): try ReadOnlyAttack().run()
    default: throw Violation("wrong arguments: \(arguments); see Tests/FaultRunner/main.swift")
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(70)
}
