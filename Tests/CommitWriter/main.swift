import Foundation
import SQLiteEngine

// Writes commits until it is killed, and says of each one that it is done. A test kills it, and
// looks whether all that it said is in the database.
//
//     CommitWriter pool|wal-queue|queue PATH FIRST [--early]
//
// Each transaction has a number, from FIRST on; on standard output comes the number, as text with
// a newline, in one `write`. With `--early` it says so inside of the transaction, and stops there:
// a test that does not notice this would notice nothing.

let arguments = CommandLine.arguments
guard arguments.count >= 4, let first = Int(arguments[3]) else {
    FileHandle.standardError.write(Data("usage: CommitWriter KIND PATH FIRST [--early]\n".utf8))
    exit(64)
}
let load = CommitLoad(isEarly: arguments.contains("--early"), first: first)
let path = arguments[2]
do {
    switch arguments[1] {
    case "pool": try load.run(on: DatabasePool(path: path, configuration: CommitLoad.patient))
    case "wal-queue":
        var configuration = CommitLoad.patient
        configuration.journalMode = .wal
        try load.run(on: DatabaseQueue(path: path, configuration: configuration))
    default: try load.run(on: DatabaseQueue(path: path, configuration: CommitLoad.patient))
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(70)
}
