import Foundation
import SQLiteEngine

// Measures point reads by primary key, each in a separate transaction unless a reader keeps its
// transaction. Rounds of this engine's pool, GRDB's pool, and bare libsqlite3 alternate in one
// process.
//
//     swift run -c release PointReads [--rounds N] [--seconds S] [--threads 1,2,4] [--readers N]
//         [--memory-statistics on|off]
//     swift run -c release PointReads --only raw|raw-kept|engine|renewing|off|GRDB --reads N
//
// The table shows the median rate of each reader. For selected pairs of readers, it shows the median
// and the spread of the ratios of their rates, one ratio per round.

let pointReadSQL = "SELECT v FROM t WHERE id = ?"

func option(_ name: String, _ defaultValue: String) -> String {
    guard let index = CommandLine.arguments.firstIndex(of: "--" + name),
        index + 1 < CommandLine.arguments.count
    else { return defaultValue }
    return CommandLine.arguments[index + 1]
}

// If memory statistics are enabled, SQLite acquires a process-wide lock for each allocation.
if option("memory-statistics", "on") == "off" {
    precondition(RawReader.disableMemoryStatistics(), "SQLite is already in use")
}

let rows: Int64 = 10_000
let rounds = Int(option("rounds", "11")) ?? 11
let seconds = Double(option("seconds", "0.2")) ?? 0.2
let readers = Int(option("readers", "8")) ?? 8
let threadCounts = option("threads", "1,2,4,8,16").split(separator: ",").compactMap { Int($0) }

let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("poolgauge-benchmark-\(ProcessInfo.processInfo.processIdentifier)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appendingPathComponent("points.sqlite").path

let setup = try DatabasePool(path: path)
try setup.write { db in
    try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, v INTEGER NOT NULL)")
    for id in 1...rows {
        try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [id, id * 3])
    }
}

let raw = try RawReader("raw", path: path, keepsTransaction: false)
// This reader begins one transaction per thread, as the engine does while no other connection
// commits.
let rawKept = try RawReader("raw-kept", path: path, keepsTransaction: true)
let engine = try EngineReader("engine", path: path, readers: readers)
// This reader runs BEGIN and COMMIT for every access, which shows the benefit of kept read
// transactions.
let renewing = try EngineReader("renewing", path: path, readers: readers) {
    $0.keepsReadTransactions = false
}
// This reader runs without probes, which shows the cost of the probes.
let withoutProbes = try EngineReader("off", path: path, readers: readers) { $0.probes = .off }
let grdb = try GRDBReader(path: path, readers: readers)
let pointReaders: [any PointReader & Sendable] = [
    raw, rawKept, engine, renewing, withoutProbes, grdb,
]
// With `--only engine --reads 20000`, one thread performs a fixed number of reads for callgrind.
if let limit = Int(option("reads", "")) {
    let stop = StopFlag()
    for reader in pointReaders where reader.name == option("only", "engine") {
        print(try reader.run(thread: 0, rows: rows, limit: limit, stop: stop))
    }
    // `exit` does not run the `defer` statement.
    try? FileManager.default.removeItem(at: folder)
    exit(0)
}

// Warm the caches and open the readers.
for reader in pointReaders { _ = measure(reader, threads: 16, rows: rows, seconds: 0.1) }

func text(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
func pad(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

print(
    "\(rounds) rounds of \(seconds) s each, \(readers) reader connections per pool, "
        + "medians (min–max)"
)
func spread(_ values: [Double], _ digits: Int) -> String {
    "\(text(median(values), digits)) (\(text(values.min() ?? 0, digits))–"
        + "\(text(values.max() ?? 0, digits)))"
}
let header =
    ["threads"] + pointReaders.map { "\($0.name)/s" } + [
        "engine/raw", "engine/raw-kept", "renewing/raw", "engine/off", "engine/GRDB",
    ]
let widths = [7, 9, 10, 9, 10, 9, 9, 19, 19, 19, 19, 21]
print(zip(header, widths).map { pad($0, $1) }.joined(separator: " "))
for threads in threadCounts {
    var rates: [String: [Double]] = [:]
    for round in 0..<rounds {
        for turn in 0..<pointReaders.count {
            let reader = pointReaders[(turn + round) % pointReaders.count]
            let rate = measure(reader, threads: threads, rows: rows, seconds: seconds)
            rates[reader.name, default: []].append(rate)
        }
    }
    func ratios(_ a: any PointReader, _ b: any PointReader) -> [Double] {
        zip(rates[a.name] ?? [], rates[b.name] ?? []).map { $0 / $1 }
    }
    let cells =
        ["\(threads)"] + pointReaders.map { text(median(rates[$0.name] ?? []), 0) } + [
            spread(ratios(engine, raw), 2),
            spread(ratios(engine, rawKept), 2),
            spread(ratios(renewing, raw), 2),
            spread(ratios(engine, withoutProbes), 3),
            spread(ratios(engine, grdb), 1),
        ]
    print(zip(cells, widths).map { pad($0, $1) }.joined(separator: " "))
}
print("status() of the engine's pool afterward:")
let status = engine.pool.status()
print("  accesses:", status.connections.map(\.accessCount).reduce(0, +))
print(
    "  acquire:",
    status.acquire.map { "p50 \($0.p50 ?? 0) ns, p99 \($0.p99 ?? 0) ns, max \($0.max) ns" } ?? "-"
)
print(
    "  hold:",
    status.hold.map { "p50 \($0.p50 ?? 0) ns, p99 \($0.p99 ?? 0) ns, max \($0.max) ns" } ?? "-"
)
