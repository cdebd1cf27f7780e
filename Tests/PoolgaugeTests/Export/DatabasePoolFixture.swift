import Foundation
import PoolgaugeAgent
import SQLiteEngine
import Synchronization

/// A pool with an agent, and a thread that can keep the pool busy.
final class DatabasePoolFixture: Sendable {
    let pool: DatabasePool
    let agent: Agent
    private let isStopRequested = Atomic(false)
    private let hasEnded = DispatchSemaphore(value: 0)

    /// Creates a pool, and an agent with its socket in `agents`.
    init(path: String, agents: String, name: String = "app") throws {
        pool = try DatabasePool(path: path)
        try pool.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        agent = try Agent.start(pool, name: name, folder: AgentFolder(path: agents))
    }

    deinit { agent.stop() }

    /// Performs one operation of each kind that the metrics describe.
    func work() throws {
        try pool.write { database in
            for number in 0..<20 {
                try database.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
            }
        }
        _ = try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
        try pool.writeWithoutTransaction { _ = try $0.checkpoint() }
    }

    /// Repeats ``work()`` on another thread until ``endWork()`` is called.
    func startWork() {
        Thread.detachNewThread { [self] in
            while !isStopRequested.load(ordering: .relaxed) {
                try? work()
                // Leaves the processors to other programs.
                usleep(20_000)
            }
            hasEnded.signal()
        }
    }

    func endWork() {
        isStopRequested.store(true, ordering: .relaxed)
        hasEnded.wait()
    }
}
