#if os(Linux)
import Foundation
import SQLiteEngine
import Testing

@testable import PoolgaugeAgent

/// Tests that the thread of an agent without clients does not run.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct AgentCostTests {
    /// Returns the kernel's IDs of all threads that have the name of an agent's thread.
    private func agentThreads() throws -> Set<String> {
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        return Set(
            threads.filter { thread in
                let path = "/proc/self/task/\(thread)/comm"
                return (try? String(contentsOfFile: path, encoding: .utf8)) == "poolgauge-agent\n"
            }
        )
    }

    /// Returns the lines about the thread's state and its context switches.
    private func state(of thread: String) throws -> [Substring] {
        let status = try String(
            contentsOfFile: "/proc/self/task/\(thread)/status",
            encoding: .utf8
        )
        return status.split(separator: "\n").filter {
            $0.hasPrefix("State:") || $0.contains("ctxt_switches:")
        }
    }

    @Test func theThreadSleepsWithoutClients() throws {
        let others = try agentThreads()
        let test = try TestAgent()
        var threads: Set<String> = []
        // The thread sets its name and then sleeps.
        while threads.isEmpty { threads = try agentThreads().subtracting(others) }
        let thread = try #require(threads.first)
        var runs = 0
        // In the first attempt, the thread may still be starting.
        for _ in 1...3 {
            let before = try state(of: thread)
            for _ in 0..<2_000 {
                try test.pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
                _ = try test.pool.read { try Int.fetchOne($0, sql: "SELECT max(rowid) FROM t") }
            }
            if try state(of: thread) != before { runs += 1 }
        }
        #expect(runs <= 1)
        let before = try state(of: thread)
        // The thread runs for a client.
        let client = try test.connect()
        client.request("GET", "/status")
        #expect(try client.receive().hasPrefix("HTTP/1.1 200"))
        #expect(try state(of: thread) != before)
    }
}
#endif
