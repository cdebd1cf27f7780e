import Foundation
import SQLiteEngine
import Synchronization

/// A load of three threads that each read an order every 2 ms, and one that changes orders every
/// 5 ms.
final class Load: Sendable {
    private let pool: DatabasePool
    private let isStopped = Atomic<Bool>(false)
    private let threads = DispatchGroup()

    init(on pool: DatabasePool) throws {
        self.pool = pool
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT)")
            for id in 1...5_000 {
                try db.execute(
                    sql: "INSERT INTO orders VALUES (?, ?)",
                    arguments: [id, String(repeating: "note ", count: 40)]
                )
            }
        }
    }

    func start() {
        for _ in 1...3 { repeatOperation(every: 0.002) { try $0.readOrder() } }
        repeatOperation(every: 0.005) { try $0.changeOrders() }
    }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
        threads.wait()
    }

    private func readOrder() throws {
        _ = try pool.read { db in
            try String.fetchOne(
                db,
                sql: "SELECT note FROM orders WHERE id = ?",
                arguments: [Int.random(in: 1...5_000)]
            )
        }
    }

    private func changeOrders() throws {
        try pool.write { db in
            let first = Int.random(in: 1...4_900)
            try db.execute(
                sql: "UPDATE orders SET note = ? || substr(note, 20) WHERE id BETWEEN ? AND ?",
                arguments: ["\(UInt64.random(in: 1...(.max)))", first, first + 20]
            )
        }
    }

    private func repeatOperation(
        every seconds: Double,
        _ operation: @escaping @Sendable (Load) throws -> Void
    ) {
        threads.enter()
        Thread.detachNewThread { [self] in
            defer { threads.leave() }
            while !isStopped.load(ordering: .relaxed) {
                do {
                    try operation(self)
                } catch let error as DatabaseError where error.isInterruptionError {
                    // interrupt() affects all accesses to the pool.
                } catch {
                    print("The load failed: \(error)")
                    return
                }
                Thread.sleep(forTimeInterval: seconds)
            }
        }
    }
}
