import Foundation

// A program whose statements `Tests/Programs/programs.py` traces:
//
//     TracedProgram engine|GRDB DATABASE SECONDS LONG POINT INSERT BUSY
//
// It prints "ready" and waits for a line. For the given time, it executes the three statements in
// turn. Then it attempts BUSY inserts while another connection holds the lock. For each
// statement, it prints the number of calls, the total time in seconds, and the number of
// SQLITE_BUSY errors as JSON. It ends when its input ends.

let arguments = CommandLine.arguments
guard arguments.count == 8, ["engine", "GRDB"].contains(arguments[1]),
    let seconds = Double(arguments[3]), let attempts = Int(arguments[7])
else {
    let usage = "usage: TracedProgram engine|GRDB DATABASE SECONDS LONG POINT INSERT BUSY\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
}
let texts = StatementTexts(longQuery: arguments[4], pointRead: arguments[5], insert: arguments[6])
let program: any TracedProgram =
    switch arguments[1] {
    case "GRDB": try GRDBProgram(path: arguments[2], texts: texts)
    default: try EngineProgram(path: arguments[2], texts: texts)
    }

FileHandle.standardOutput.write(Data("ready\n".utf8))
_ = readLine()

var counts = StatementCounts()
let clock = ContinuousClock()
let end = clock.now + .seconds(seconds)
var round = 0
while clock.now < end {
    round += 1
    try counts.longQuery.add(program.runLongQuery())
    try counts.pointRead.add(program.runPointRead(round % 1_000 + 1))
    try counts.insert.add(program.insert(round))
}
for isBusy in try program.insertWhileLocked(attempts: attempts) {
    counts.insert.calls += 1
    if isBusy { counts.insert.busyErrors += 1 }
}
FileHandle.standardOutput.write(Data("\(counts.json)\n".utf8))
while readLine() != nil {}
