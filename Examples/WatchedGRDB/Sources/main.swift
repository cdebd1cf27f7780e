import Foundation
import GRDB
import PoolgaugeAgent
import PoolgaugeGRDB

// Uses a GRDB pool until it is killed, or for the number of seconds in the first argument.

let folder = NSTemporaryDirectory() + "watched-grdb-\(UUID().uuidString)"
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

var configuration = Configuration()
configuration.label = "orders"
configuration.maximumReaderCount = 3
configuration.busyMode = .timeout(5)
let path = folder + "/orders.sqlite"

// These two lines expose the database to `poolgauge attach shop`.
let watched = try WatchedDatabase(configuration: configuration) {
    try DatabasePool(path: path, configuration: $0)
}
let agent = try Agent.start(watched, name: "shop")

try watched.write { db in
    try db.execute(sql: "CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT)")
    for id in 1...5_000 {
        let note = String(repeating: "note ", count: 40)
        try db.execute(sql: "INSERT INTO orders VALUES (?, ?)", arguments: [id, note])
    }
}

/// Repeats an access on a new thread, with a pause after each access.
func repeatAccess(every seconds: Double, _ access: @escaping @Sendable () throws -> Void) {
    Thread.detachNewThread {
        while true {
            do { try access() } catch { print("An access failed: \(error)") }
            Thread.sleep(forTimeInterval: seconds)
        }
    }
}

for _ in 1...4 {
    repeatAccess(every: 0.005) {
        let id = Int.random(in: 1...5_000)
        _ = try watched.read { db in
            try String.fetchOne(db, sql: "SELECT note FROM orders WHERE id = ?", arguments: [id])
        }
    }
}
repeatAccess(every: 0.02) {
    let id = Int.random(in: 1...5_000)
    try watched.write(as: "change") { db in
        try db.execute(
            sql: "UPDATE orders SET note = note || ? WHERE id = ?",
            arguments: ["!", id]
        )
    }
}
// A report holds a reader for two seconds.
repeatAccess(every: 3) {
    try watched.read(as: "report") { db in
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM orders")
        Thread.sleep(forTimeInterval: 2)
    }
}
// This access does not use `watched`. The agent shows the access without its call site.
repeatAccess(every: 1) {
    _ = try watched.database.read { db in
        try Int.fetchOne(db, sql: "SELECT sum(length(note)) FROM orders")
    }
}
// This queue briefly locks the database, as another process could.
let lockingQueue = try DatabaseQueue(path: path)
repeatAccess(every: 5) {
    try lockingQueue.write { db in
        try db.execute(sql: "DELETE FROM orders WHERE id = 0")
        Thread.sleep(forTimeInterval: 0.2)
    }
}

let seconds = CommandLine.arguments.dropFirst().first.flatMap(Double.init)
Thread.sleep(until: seconds.map { Date(timeIntervalSinceNow: $0) } ?? .distantFuture)
agent.stop()
