import Foundation

// A second process for the engine's tests. A test ends the process by closing the standard input of
// the process.
//
//     SecondProcess commands DATABASE COUNTER
//         performs commands (`PeerCommand`) through libsqlite3
//     SecondProcess reads DATABASE keeps|renews MICROSECONDS
//         reads through the engine's pool, with a pause after each read

let arguments = CommandLine.arguments
do {
    switch arguments.dropFirst().first {
    case "commands" where arguments.count == 4:
        try CommandLoop(
            connection: ForeignConnection(path: arguments[2]),
            counter: SharedCounter(path: arguments[3])
        )
        .run()
    case "reads" where arguments.count == 5:
        try PacedReader(
            path: arguments[2],
            keepsReadTransactions: arguments[3] == "keeps",
            pause: UInt32(arguments[4]) ?? 400
        )
        .run()
    default:
        FileHandle.standardError.write(
            Data(
                """
                usage: SecondProcess commands DATABASE COUNTER
                       SecondProcess reads DATABASE keeps|renews MICROSECONDS

                """.utf8
            )
        )
        exit(64)
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(70)
}
