import Foundation
import SQLiteEngine

/// Operations on the pool that each print their measured duration.
struct Operations {
    private let pool: DatabasePool

    init(_ pool: DatabasePool) {
        self.pool = pool
    }

    func pause(seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

    /// Performs one access that spends a long time outside SQLite.
    func holdReader(seconds: Double) throws {
        try perform("hold a reader") {
            try pool.read { db in
                _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM orders")
                pause(seconds: seconds)
            }
        }
    }

    /// Keeps a snapshot of an old database state, which the WAL must retain.
    func keepSnapshot(seconds: Double) throws {
        try perform("keep a snapshot") {
            let snapshot = try pool.makeSnapshot()
            pause(seconds: seconds)
            try snapshot.close()
        }
    }

    /// Interrupts a query that would take minutes.
    func interruptQuery(after seconds: Double) throws {
        try perform("run a query and interrupt it") {
            let pool = pool
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: seconds)
                say("interrupt()")
                pool.interrupt()
            }
            do {
                _ = try pool.read { db in
                    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM orders a, orders b, orders c")
                }
            } catch let error as DatabaseError where error.isInterruptionError {
                // The interrupt ends the query.
            }
        }
    }

    /// Performs as many long accesses as the pool has readers, so that all other accesses wait.
    func acquireAllReaders(seconds: Double) {
        perform("acquire all readers") {
            let pool = pool
            let holders = DispatchGroup()
            for _ in 1...pool.configuration.maximumReaderCount {
                holders.enter()
                Thread.detachNewThread {
                    defer { holders.leave() }
                    try? pool.read { _ in Thread.sleep(forTimeInterval: seconds) }
                }
            }
            holders.wait()
        }
    }

    private func perform(_ name: String, _ body: () throws -> Void) rethrows {
        say("\(name) …")
        let duration = try ContinuousClock().measure(body)
        say("\(name) took \(duration.formatted(.units(allowed: [.milliseconds])))")
    }
}

/// Prints the program's progress between the tables that the watcher prints.
func say(_ text: String) { print(">>> \(text)") }
