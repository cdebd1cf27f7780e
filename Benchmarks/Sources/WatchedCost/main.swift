import Foundation
import GRDB
import PoolgaugeGRDB

// Measures the cost of observing a GRDB pool. In each round, reads of one row use an unobserved
// pool, an observed pool, and the watched database. Each round also runs repeated statements inside
// one read of each pool.
//
//     swift run -c release WatchedCost [--rounds N] [--count N]

func option(_ name: String, _ defaultValue: Int) -> Int {
    guard let index = CommandLine.arguments.firstIndex(of: "--" + name),
        index + 1 < CommandLine.arguments.count
    else { return defaultValue }
    return Int(CommandLine.arguments[index + 1]) ?? defaultValue
}

let rounds = option("rounds", 21)
let count = option("count", 5_000)

let folder = NSTemporaryDirectory() + "watched-cost-\(UUID().uuidString)"
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

func fill(_ pool: DatabasePool) throws {
    try pool.write { db in
        try db.execute(
            sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, v INTEGER); INSERT INTO t VALUES (1, 2)"
        )
    }
}

let plain = try DatabasePool(path: folder + "/plain.sqlite")
let watched = try WatchedDatabase {
    try DatabasePool(path: folder + "/watched.sqlite", configuration: $0)
}
let observed = watched.database
try fill(plain)
try fill(observed)

func fetch(_ db: Database) throws {
    _ = try Int.fetchOne(db.cachedStatement(sql: "SELECT v FROM t WHERE id = 1"))
}

func fetchRepeatedly(_ db: Database) throws {
    for _ in 0..<count { try fetch(db) }
}

/// Calls a closure that performs `count` repetitions, and returns the mean time of a repetition, in
/// nanoseconds.
func time(_ body: () throws -> Void) rethrows -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try body()
    return Double(DispatchTime.now().uptimeNanoseconds - start) / Double(count)
}

typealias Case = (name: String, run: () throws -> Double)
let cases: [Case] = [
    ("a read, not observed", { try time { for _ in 0..<count { try plain.read(fetch) } } }),
    ("a read, observed", { try time { for _ in 0..<count { try observed.read(fetch) } } }),
    ("a read, watched", { try time { for _ in 0..<count { try watched.read(fetch) } } }),
    ("a statement, not observed", { try time { try plain.read(fetchRepeatedly) } }),
    ("a statement, observed", { try time { try observed.read(fetchRepeatedly) } }),
]
var times = [[Double]](repeating: [], count: cases.count)
for _ in 0...rounds {
    for (index, measurement) in cases.enumerated() {
        times[index].append(try measurement.run())
    }
}
for (index, measurement) in cases.enumerated() {
    // The first round is a warm-up.
    let sorted = times[index].dropFirst().sorted()
    print("\(measurement.name): \(Int(sorted[sorted.count / 2])) ns")
}
