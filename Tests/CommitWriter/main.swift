import Foundation
import SQLiteEngine

// Commits until killed, and acknowledges each commit. A test kills the process and checks that the
// database contains all acknowledged commits.
//
//     CommitWriter pool|wal-queue|queue|mixed PATH FIRST [--early]
//
// Each transaction has a number, starting at FIRST. The process writes the number and a newline to
// standard output in one `write`. With `--early`, it acknowledges a commit inside the transaction
// and stops there, which proves that the test detects lost commits.

let arguments = CommandLine.arguments
guard arguments.count >= 4, let first = Int(arguments[3]) else {
    FileHandle.standardError.write(Data("usage: CommitWriter KIND PATH FIRST [--early]\n".utf8))
    exit(64)
}
let load = CommitLoad(
    acknowledgesEarly: arguments.contains("--early"),
    first: first,
    checkpoint: arguments[1] == "mixed" ? .passive : .truncate
)
let path = arguments[2]
do {
    switch arguments[1] {
    case "pool":
        try load.run(on: DatabasePool(path: path, configuration: CommitLoad.waitingConfiguration))
    case "wal-queue": try load.run(on: CommitLoad.walQueue(path))
    case "mixed":
        let pool = try DatabasePool(path: path, configuration: CommitLoad.waitingConfiguration)
        load.createSnapshots(of: pool)
        try load.run(on: pool, and: CommitLoad.walQueue(path))
    default:
        try load.run(on: DatabaseQueue(path: path, configuration: CommitLoad.waitingConfiguration))
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(70)
}
