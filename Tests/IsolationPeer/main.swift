import Foundation
import Isolation
import SQLiteEngine

// Runs transactions on a database concurrently with its parent process. The isolation tests use it.
//
//     IsolationPeer sqlite|pool|queue|wal-queue PATH SEED TRANSACTIONS FIRST-VALUE
//
// The process writes "ready" when the database is open, and waits for a line on standard input. It
// then writes each transaction as a line of JSON twice: before the commit, with an unknown outcome,
// and after the transaction ends. A test can therefore kill the process at any moment and still
// determine its transactions.

let arguments = CommandLine.arguments
guard arguments.count == 6, let seed = UInt64(arguments[3]), let count = Int(arguments[4]),
    let first = Int64(arguments[5])
else {
    FileHandle.standardError.write(Data("usage: IsolationPeer KIND PATH SEED COUNT FIRST\n".utf8))
    exit(64)
}
do {
    let connection = try PeerConnection(kind: arguments[1], path: arguments[2])
    let session = PeerSession(connection, seed: seed, values: UniqueValues(after: first))
    PeerOutput.write("ready")
    guard readLine() != nil else { exit(0) }
    for number in 0..<count { session.runTransaction(number) }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(70)
}
