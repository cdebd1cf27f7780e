import Foundation
import SQLiteEngine

// Measures kinds of access that `PointReads` does not cover. Rounds of raw SQLite, this engine, and
// GRDB alternate in one process.
//
//     swift run -c release Accesses [--rounds N] [--seconds S] [--only TEXT]
//     swift run -c release Accesses --only TEXT --contender raw|engine|GRDB --accesses N

func option(_ name: String, _ defaultValue: String) -> String {
    guard let index = CommandLine.arguments.firstIndex(of: "--" + name),
        index + 1 < CommandLine.arguments.count
    else { return defaultValue }
    return CommandLine.arguments[index + 1]
}

let rounds = Int(option("rounds", "11")) ?? 11
let seconds = Double(option("seconds", "0.2")) ?? 0.2

let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("poolgauge-benchmark-\(ProcessInfo.processInfo.processIdentifier)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

/// Creates a database.
///
/// Each library uses a separate database, so that its writes do not wait for another library's.
func makeFile(_ name: String) throws -> String {
    let path = folder.appendingPathComponent(name).path
    let pool = try DatabasePool(path: path)
    try pool.write { db in
        try db.execute(
            sql: """
                CREATE TABLE t(id INTEGER PRIMARY KEY, v INTEGER NOT NULL);
                CREATE TABLE wide(id INTEGER PRIMARY KEY, a INTEGER, name TEXT, score REAL, note TEXT,
                    created TEXT);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
                INSERT INTO t SELECT i, i * 3 FROM n;
                INSERT INTO wide SELECT id, v, 'name ' || id, id / 7.0, 'a note of some length ' || v,
                    strftime('%Y-%m-%d %H:%M:%f', 1700000000 + id * 1000.125, 'unixepoch')
                FROM t;
                """
        )
    }
    try pool.close()
    return path
}

let rawPath = try makeFile("raw.sqlite")
let rawConnections = (0..<8).map { _ in RawConnection(path: rawPath) }
let sharedConnection = RawConnection(path: rawPath)
let engine = try EngineCases(path: makeFile("engine.sqlite"))
let grdb = try GRDBCases(path: makeFile("grdb.sqlite"))

func readWithLock(_ key: Int64) throws {
    try sharedConnection.lock.withLock { _ = try sharedConnection.read(key) }
}

func expectAllRows(_ count: Int) throws {
    guard count == 10_000 else { throw RawConnection.Failure(code: 0) }
}

var cases: [Case] = []
for threads in [1, 8] {
    cases.append(
        Case(
            name: "pool.read, fetchOne(db, sql:)",
            threads: threads,
            contenders: [
                { thread, key in _ = try rawConnections[thread].read(key) },
                { _, key in _ = try engine.fetchWithSQL(key) },
                { _, key in _ = try grdb.fetchWithSQL(key) },
            ]
        )
    )
}
for threads in [1, 8] {
    cases.append(
        Case(
            name: "queue.read (raw: one mutex)",
            threads: threads,
            contenders: [
                { _, key in try readWithLock(key) },
                { _, key in _ = try engine.readQueue(key) },
                { _, key in _ = try grdb.readQueue(key) },
            ]
        )
    )
}
cases.append(
    Case(
        name: "pool.write, one update",
        threads: 1,
        contenders: [
            { _, key in try sharedConnection.write(key) },
            { _, key in try engine.write(key) },
            { _, key in try grdb.write(key) },
        ]
    )
)
cases.append(
    Case(
        name: "10,000 rows of 5 columns into [Row]",
        threads: 1,
        contenders: [
            { _, _ in try expectAllRows(sharedConnection.copyRows()) },
            { _, _ in try expectAllRows(engine.rows()) },
            { _, _ in try expectAllRows(grdb.rows()) },
        ]
    )
)
cases.append(
    Case(
        name: "10,000 Codable records of 4 columns",
        threads: 1,
        contenders: [
            { _, _ in try expectAllRows(sharedConnection.copyNotes()) },
            { _, _ in try expectAllRows(engine.notes()) },
            { _, _ in try expectAllRows(grdb.notes()) },
        ]
    )
)
cases.append(
    Case(
        name: "10,000 Codable records of 5 columns, including a date",
        threads: 1,
        contenders: [
            { _, _ in try expectAllRows(sharedConnection.copyDatedNotes()) },
            { _, _ in try expectAllRows(engine.datedNotes()) },
            { _, _ in try expectAllRows(grdb.datedNotes()) },
        ]
    )
)
cases.append(
    Case(
        name: "await pool.read, 64 tasks",
        threads: 1,
        contenders: [],
        rounds: [
            { seconds in
                Case(
                    name: "",
                    threads: 2,
                    contenders: [{ thread, key in _ = try rawConnections[thread].read(key) }]
                ).measure(0, seconds: seconds)
            },
            { seconds in measureTasks(seconds) { _ = try await engine.awaitRead($0) } },
            { seconds in measureTasks(seconds) { _ = try await grdb.awaitRead($0) } },
        ]
    )
)

func pad(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}
func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
func spread(_ values: [Double]) -> String {
    String(
        format: "%.2f (%.2f–%.2f)",
        median(values),
        values.min() ?? 0,
        values.max() ?? 0
    )
}

// With `--contender engine --accesses 20`, one thread performs a fixed number of accesses, to be
// profiled by callgrind.
if let limit = Int(option("accesses", "")),
    let contender = ["raw", "engine", "GRDB"].firstIndex(of: option("contender", "engine"))
{
    for testCase in cases where testCase.name.contains(option("only", "")) {
        for key in 1...limit { try testCase.contenders[contender](0, Int64(key)) }
    }
    // `exit` does not run the `defer` statement.
    try? FileManager.default.removeItem(at: folder)
    exit(0)
}

print("\(rounds) rounds of \(seconds) s each, medians (min–max)")
print("threads      raw/s   engine/s     GRDB/s            engine/raw           engine/GRDB  case")
for testCase in cases where option("only", "").isEmpty || testCase.name.contains(option("only", ""))
{
    var rates: [[Double]] = [[], [], []]
    for contender in 0..<3 { _ = testCase.measure(contender, seconds: 0.05) }
    for round in 0..<rounds {
        for turn in 0..<3 {
            let contender = (turn + round) % 3
            rates[contender].append(testCase.measure(contender, seconds: seconds))
        }
    }
    let cells =
        [pad("\(testCase.threads)", 7)]
        + rates.map { pad(String(format: "%.0f", median($0)), 10) } + [
            pad(spread(zip(rates[1], rates[0]).map { $0 / $1 }), 21),
            pad(spread(zip(rates[1], rates[2]).map { $0 / $1 }), 21),
            " " + testCase.name,
        ]
    print(cells.joined(separator: " "))
}
