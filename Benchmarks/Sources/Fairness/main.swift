import Foundation
import GRDB
import SQLiteEngine
import Synchronization

// Measures fairness when many threads share few readers: the smallest share and the longest wait.
//
//     swift run -c release Fairness [--rounds N] [--seconds S] [--threads N] [--readers N]
//
// The smallest share is the lowest number of accesses of any thread, divided by the mean of all
// threads. The longest wait is the longest time from a call until its closure starts.

func option(_ name: String, _ defaultValue: String) -> String {
    guard let index = CommandLine.arguments.firstIndex(of: "--" + name),
        index + 1 < CommandLine.arguments.count
    else { return defaultValue }
    return CommandLine.arguments[index + 1]
}

let rounds = Int(option("rounds", "5")) ?? 5
let seconds = Double(option("seconds", "1")) ?? 1
let threads = Int(option("threads", "16")) ?? 16
let readers = Int(option("readers", "1")) ?? 1
let sql = "SELECT v FROM t WHERE id = 1"

let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("poolgauge-benchmark-\(ProcessInfo.processInfo.processIdentifier)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appendingPathComponent("fairness.sqlite").path

var engineConfiguration = SQLiteEngine.Configuration()
engineConfiguration.maximumReaderCount = readers
let engine = try SQLiteEngine.DatabasePool(path: path, configuration: engineConfiguration)
try engine.write { db in
    try db.execute(
        sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, v INTEGER); INSERT INTO t VALUES (1, 2)"
    )
}
var grdbConfiguration = GRDB.Configuration()
grdbConfiguration.maximumReaderCount = readers
let grdb = try GRDB.DatabasePool(path: path, configuration: grdbConfiguration)

/// A function that performs an access, and calls `onEntry` when the closure of the access starts.
typealias Access = @Sendable (_ onEntry: () -> Void) throws -> Void

let contenders: [(name: String, access: Access)] = [
    (
        "engine",
        { onEntry in
            try engine.read { db in
                onEntry()
                _ = try Int.fetchOne(db.cachedStatement(sql: sql))
            }
        }
    ),
    (
        "GRDB",
        { onEntry in
            try grdb.read { db in
                onEntry()
                _ = try Int.fetchOne(db.cachedStatement(sql: sql))
            }
        }
    ),
]

/// The result of one round.
struct Outcome {
    var accesses: Int
    /// The lowest number of accesses of any thread, divided by the mean of all threads.
    var smallestShare: Double
    /// The longest wait in nanoseconds.
    var longestWait: UInt64
}

func measure(_ access: @escaping Access) -> Outcome {
    let counts = Mutex([Int](repeating: 0, count: threads))
    let longest = Atomic<UInt64>(0)
    let stopFlag = Flag()
    let completion = DispatchSemaphore(value: 0)
    for index in 0..<threads {
        let thread = Thread {
            var count = 0
            var wait: UInt64 = 0
            while !stopFlag.isSet.load(ordering: .relaxed) {
                let start = DispatchTime.now().uptimeNanoseconds
                do {
                    try access { wait = max(wait, DispatchTime.now().uptimeNanoseconds - start) }
                } catch {
                    fatalError("\(error)")
                }
                count += 1
            }
            counts.withLock { $0[index] = count }
            longest.max(wait, ordering: .relaxed)
            completion.signal()
        }
        thread.start()
    }
    usleep(UInt32(seconds * 1_000_000))
    stopFlag.isSet.store(true, ordering: .relaxed)
    for _ in 0..<threads { completion.wait() }
    let threadCounts = counts.withLock { $0 }
    let total = threadCounts.reduce(0, +)
    return Outcome(
        accesses: total,
        smallestShare: Double(threadCounts.min() ?? 0) / (Double(total) / Double(threads)),
        longestWait: longest.load(ordering: .relaxed)
    )
}

/// A flag that ends a round.
final class Flag: Sendable {
    let isSet = Atomic<Bool>(false)
}

print("threads: \(threads), readers: \(readers), alternating rounds of \(seconds) s: \(rounds)")
for round in 1...rounds {
    for (name, access) in contenders {
        let outcome = measure(access)
        print(
            String(
                format: "%2d  %@  %9.0f accesses/s  smallest share %.2f  longest wait %.1f ms",
                round,
                name.padding(toLength: 6, withPad: " ", startingAt: 0),
                Double(outcome.accesses) / seconds,
                outcome.smallestShare,
                Double(outcome.longestWait) / 1e6
            )
        )
    }
}
