#if GRDB
import Foundation
import GRDB
import PoolgaugeGRDB
import Telemetry
import TestSupport
import Testing

@testable import PoolgaugeAgent

/// Tests the information about a GRDB database that an agent's clients receive.
@Suite(.timeLimit(.minutes(2)))
struct WatchedAgentTests {
    private let test: TestDatabase
    private let watched: WatchedDatabase<DatabasePool>
    private let agent: Agent

    init() throws {
        test = try TestDatabase()
        watched = try test.pool()
        let folder = AgentFolder(path: test.folder + "/agents")
        agent = try Agent.start(watched, name: "shop", allowsControl: true, folder: folder)
    }

    private var reader: AgentReader { AgentReader(path: agent.socketPath) }

    private func metrics() throws -> String {
        String(decoding: try reader.get("/metrics"), as: UTF8.self)
    }

    /// A load that reads and writes until ``end()`` is called.
    private final class Load {
        private let hasEnded = Lock(false)
        private var threads: [Background] = []

        init(on watched: WatchedDatabase<DatabasePool>) {
            let accesses: [@Sendable () throws -> Void] = [
                {
                    try watched.write(as: "order") {
                        try $0.execute(sql: "INSERT INTO t VALUES (2)")
                    }
                },
                { _ = try watched.read { try Int.fetchOne($0, sql: "SELECT max(x) FROM t") } },
                { _ = try watched.database.read { try Int.fetchOne($0, sql: "SELECT 1") } },
            ]
            threads = accesses.map { [hasEnded] access in
                Background { while !hasEnded.withLock({ $0 }) { try access() } }
            }
        }

        func end() throws {
            hasEnded.withLock { $0 = true }
            for thread in threads { try thread.end() }
        }
    }

    @Test func theStatusOfAPoolUnderLoadContainsTheHeldReader() throws {
        let load = Load(on: watched)
        let hold = try Hold { [watched] in try watched.read(as: "report", $0) }
        var first: DatabaseStatus?
        try eventually {
            let status = try reader.status()
            #expect(status.name == "shop")
            #expect(status.process == getpid())
            let database = status.database
            guard let earlier = first else {
                first = database
                return false
            }
            let held = try #require(database.connections.first { $0.holder?.name == "report" })
            #expect(held.role == .reader)
            #expect(held.sql == "SELECT count(*) FROM t")
            #expect(database.readers?.inUse ?? 0 >= 1)
            // The load must continue while the reader is held.
            return database.acquire?.count ?? 0 > (earlier.acquire?.count ?? 0) + 100
                && database.writerAcquire?.count ?? 0 > (earlier.writerAcquire?.count ?? 0) + 100
        }
        try load.end()
        let metrics = try metrics()
        let pool = "db_client_connection_pool_name=\"shop.readers\""
        #expect(
            metrics.contains(
                "db_client_connections{\(pool),db_client_connection_state=\"used\"} 1\n"
            )
        )
        #expect(metrics.contains("db_client_connection_max{\(pool)} 2\n"))
        #expect(metrics.contains("# TYPE db_client_connection_wait_time_seconds histogram\n"))
        #expect(metrics.contains("# TYPE sqlite_statement_time_seconds histogram\n"))
        #expect(metrics.contains("sqlite_busy_total{database=\"shop\",cause=\"unknown\"} 0\n"))
        try hold.end()
    }

    @Test func unknownValuesAreAbsent() throws {
        // No access has used the watched database.
        _ = try watched.database.read { try Int.fetchOne($0, sql: "SELECT 1") }
        let json = try reader.statusWithJSON().json
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
        let database = try #require((object as? [String: Any])?["database"] as? [String: Any])
        for key in [
            "interrupts", "acquire", "writerAcquire", "acquiredAtOnce", "openings", "splits",
            "busyUpgradeCount", "waitingReadersPeak", "waitingWritersPeak", "observations",
        ] {
            #expect(database[key] == nil, "\(key)")
        }
        let readers = try #require(database["readers"] as? [String: Any])
        #expect(readers["saturatedNanoseconds"] == nil)
        #expect(readers["busyNanoseconds"] as? UInt64 ?? 0 > 0)
        let connections = try #require(database["connections"] as? [[String: Any]])
        #expect(connections.count == 2)
        for connection in connections {
            #expect(connection["interruptCount"] == nil)
            #expect(connection["holder"] == nil)
            #expect(connection["busyCount"] as? UInt64 == 0)
        }
        let metrics = try metrics()
        for name in [
            "db_client_connection_pending_requests", "db_client_connection_wait_time_seconds",
            "sqlite_readers_saturated_seconds_total", "sqlite_interrupt_requests_total",
            "sqlite_interrupts_total", "sqlite_connection_open_time_seconds", "sqlite_wal_frames",
            "sqlite_wal_pinned_frames", "sqlite_checkpoint_total",
        ] {
            #expect(!metrics.contains(name), "\(name)")
        }
        #expect(metrics.contains("db_client_connection_use_time_seconds"))
        #expect(metrics.contains("sqlite_wal_bytes"))
    }

    @Test func aLockOfAnotherConnectionIsAnEventAndAMetric() throws {
        let stream = try EventStream(of: agent)
        let other = try test.otherConnection()
        try other.inDatabase { try $0.beginTransaction(.immediate) }
        #expect(throws: DatabaseError.self) { try watched.write(as: "order") { _ in } }
        try other.inDatabase { try $0.rollback() }
        let text = try stream.read(until: "\"busy\"")
        #expect(text.contains("\"label\":\"shop.writer\""))
        #expect(try reader.status().database.busyCount == 1)
        #expect(
            try metrics().contains("sqlite_busy_total{database=\"shop\",cause=\"unknown\"} 1\n")
        )
    }

    @Test func clientsControlTheDatabase() throws {
        let checkpoint = String(decoding: try reader.post("/checkpoint"), as: UTF8.self)
        #expect(checkpoint.hasPrefix("{\"checkpointed\":"))
        let stream = try EventStream(of: agent)
        _ = try reader.post("/interrupt")
        #expect(try stream.read(until: "interruptRequested").contains("\"metStatement\":false"))
    }

    /// A client that reads the agent's events.
    private final class EventStream {
        private let socket: Int32

        init(of agent: Agent) throws {
            socket = try UnixSocket.make()
            var timeout = timeval(tv_sec: 20, tv_usec: 0)
            let size = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
            #expect(try UnixSocket.connect(socket, to: agent.socketPath) == 0)
            let request = Array("GET /events HTTP/1.1\r\nHost: agent\r\n\r\n".utf8)
            _ = UnixSocket.send(request[...], to: socket)
            _ = try read(until: "poolgauge.agent-events/1")
        }

        deinit { close(socket) }

        /// Reads until the received text contains `end`.
        func read(until end: String) throws -> String {
            var text = ""
            while !text.contains(end) {
                var bytes = [UInt8](repeating: 0, count: 4_096)
                let count = recv(socket, &bytes, bytes.count, 0)
                guard count > 0 else { throw Gate.Timeout() }
                text += String(decoding: bytes[..<count], as: UTF8.self)
            }
            return text
        }
    }
}
#endif
