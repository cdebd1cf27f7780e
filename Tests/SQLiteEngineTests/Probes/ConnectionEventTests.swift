import CSQLite
import Foundation
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct ConnectionEventTests {
    private let folder = TemporaryFolder()

    /// Returns the first event that `choose` accepts.
    private func first<Value>(
        of events: AsyncStream<ConnectionEvent>,
        _ choose: (ConnectionEvent) -> Value?
    ) async throws -> Value {
        for await event in events {
            if let value = choose(event) { return value }
        }
        throw Gate.Timeout()
    }

    @Test func aSlowAccessIsReportedWithItsNameAndItsWait() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        let events = pool.events(slowerThan: .milliseconds(5))
        _ = try pool.rowCount()
        try await pool.read(as: AccessLabel("report")) { _ in
            let end = monotonicNanoseconds() + 6_000_000
            while monotonicNanoseconds() < end {}
        }
        let held = try await first(of: events) { event -> UInt64? in
            guard case .slowAccess(let by, _, let held) = event.kind, by.name == "report"
            else { return nil }
            #expect(event.label.hasSuffix(".reader.1"))
            return held
        }
        #expect(held >= 6_000_000)
    }

    @Test func waitingMakesAnAccessSlow() async throws {
        let queue = try DatabaseQueue.withTable()
        let events = queue.events(slowerThan: .milliseconds(5))
        let isHeld = Gate()
        let holder = Background {
            try queue.read { _ in
                isHeld.open()
                try eventually { queue.status().oldestWaiterNanoseconds ?? 0 > 6_000_000 }
            }
        }
        try isHeld.wait()
        let waiter = Background { try queue.read(as: AccessLabel("patient")) { _ in } }
        try holder.value()
        try waiter.value()
        let waited = try await first(of: events) { event -> UInt64? in
            guard case .slowAccess(let by, let waited, _) = event.kind, by.name == "patient"
            else { return nil }
            return waited
        }
        #expect(waited >= 6_000_000)
    }

    @Test func eachListenerHasASeparateLimit() throws {
        let hub = EventHub()
        let eventsWithHighLimit = hub.events(slowness: 1_000, capacity: 8)
        let eventsWithLowLimit = hub.events(slowness: 10, capacity: 8)
        #expect(hub.limit.load(ordering: .relaxed) == 10)
        #expect(hub.listenerCount == 2)
        _ = (eventsWithHighLimit, eventsWithLowLimit)
    }

    @Test func withoutListenersThereAreNoEvents() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let hub = pool.writer.events
        #expect(hub.limit.load(ordering: .relaxed) == .max)
        var isMade = false
        let make = { () -> ConnectionEvent.Kind in
            isMade = true
            return .connectionClosed
        }
        hub.emit("", make())
        #expect(!isMade)
        do {
            let events = pool.events()
            #expect(hub.listenerCount == 1)
            hub.emit("", make())
            #expect(isMade)
            _ = events
        }
        #expect(hub.listenerCount == 0)
        #expect(hub.limit.load(ordering: .relaxed) == .max)
    }

    @Test func aSlowListenerLosesTheOldestEvents() async throws {
        let hub = EventHub()
        let events = hub.events(slowness: 0, capacity: 2)
        for number in 1...5 { hub.emit("\(number)", .connectionClosed) }
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next()?.label == "4")
        #expect(await iterator.next()?.label == "5")
    }

    @Test func theStreamEndsWithThePool() async throws {
        var pool: DatabasePool? = try DatabasePool.withTable(in: folder)
        let events = try #require(pool).events()
        pool = nil
        var labels: [String] = []
        for await event in events { labels.append(event.label) }
        #expect(labels.last?.hasSuffix(".writer") == true)
    }

    @Test func connectionsAndSnapshotsAreReported() async throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.label = "shop" }
        )
        let events = pool.events()
        _ = try pool.rowCount()
        let snapshot = try pool.makeSnapshot(as: AccessLabel("report"))
        try snapshot.close()
        do { _ = try pool.makeSnapshot(as: AccessLabel("forgotten")) }
        try pool.close()
        var seen: [String] = []
        for await event in events {
            switch event.kind {
            case .connectionOpened: seen.append("\(event.label) opened")
            case .connectionClosed: seen.append("\(event.label) closed")
            case .snapshotMade(let by): seen.append("\(by?.name ?? "") made")
            case .snapshotClosed(let by, _): seen.append("\(by?.name ?? "") gone")
            default: break
            }
            if event.label == "shop.writer", event.kind == .connectionClosed { break }
        }
        #expect(
            seen.filter { !$0.contains("snapshot.2") } == [
                "shop.reader.1 opened",
                "shop.snapshot.1 opened", "report made",
                "shop.snapshot.1 closed", "report gone",
                "forgotten made", "forgotten gone",
                "shop.reader.1 closed", "shop.writer closed",
            ]
        )
    }

    @Test func interruptsAreReported() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        let events = pool.events()
        pool.interrupt()
        let isIdle = try await first(of: events) { event -> Bool? in
            guard case .interruptRequested(let metStatement) = event.kind else { return nil }
            return !metStatement
        }
        #expect(isIdle)
        let gate = StatementGate()
        let read = Background {
            try pool.read(as: AccessLabel("report")) { db in
                gate.install(on: db)
                _ = try Int.fetchOne(db, sql: StatementGate.longQuery)
            }
        }
        try await gate.awaitStatement()
        pool.interrupt()
        gate.resume()
        #expect(throws: DatabaseError.self) { try read.value() }
        let (name, latency) = try await first(of: events) { event -> (String?, UInt64?)? in
            guard case .interrupted(let by, let after) = event.kind else { return nil }
            return (by?.name, after)
        }
        #expect(name == "report")
        #expect(try #require(latency) > 0)
    }

    @Test func aLockOfAnotherConnectionIsReported() async throws {
        let path = folder.file()
        let blocker = try DatabaseQueue(path: path)
        let queue = try DatabaseQueue(path: path)
        let events = queue.events()
        try await blocker.write { db in
            try db.execute(sql: "CREATE TABLE t (v)")
            #expect(throws: DatabaseError.self) {
                try queue.write(as: AccessLabel("import")) { db in try db.insert(1) }
            }
        }
        let name = try await first(of: events) { event -> String? in
            guard case .busy(let by) = event.kind else { return nil }
            return by?.name
        }
        #expect(name == "import")
    }

    @Test func checkpointsAreReported() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        let events = pool.events()
        try await pool.write { db in for value in 0..<100 { try db.insert(value) } }
        try await pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)")
        }
        let copied = try await first(of: events) { event -> Bool? in
            guard case .checkpoint(let frames, let checkpointed, let isRestart) = event.kind
            else { return nil }
            return frames > 0 && frames == checkpointed && !isRestart
        }
        #expect(copied)
        // The next write restarts the log.
        try await pool.write { db in try db.insert(-1) }
        let restarted = try await first(of: events) { event -> Bool? in
            guard case .checkpoint(_, _, let isRestart) = event.kind else { return nil }
            return isRestart
        }
        #expect(restarted)
    }

    @Test func userHooksAreKept() throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.probes = .full }
        )
        let events = pool.events(slowerThan: .zero)
        try pool.writeWithoutTransaction { db in
            let calls = HookCalls()
            let context = Unmanaged.passUnretained(calls).toOpaque()
            let handle = db.sqliteConnection
            sqlite3_trace_v2(
                handle,
                UInt32(SQLITE_TRACE_STMT),
                { _, context, _, _ in HookCalls.count(context, \.trace) },
                context
            )
            sqlite3_progress_handler(
                handle,
                1,
                { HookCalls.count($0, \.progress) },
                context
            )
            sqlite3_set_authorizer(
                handle,
                { context, _, _, _, _, _ in HookCalls.count(context, \.authorizer) },
                context
            )
            let previous = sqlite3_wal_hook(
                handle,
                { context, _, _, _ in HookCalls.count(context, \.log) },
                context
            )
            // The previous hook is SQLite's default, which checkpoints after 1,000 frames.
            #expect(Int(bitPattern: previous) == 1_000)
            try db.insert(1)
            #expect(calls.trace > 0 && calls.progress > 0)
            #expect(calls.authorizer > 0 && calls.log > 0)
            sqlite3_trace_v2(handle, 0, nil, nil)
            sqlite3_progress_handler(handle, 0, nil, nil)
            sqlite3_set_authorizer(handle, nil, nil)
            sqlite3_wal_autocheckpoint(handle, 1_000)
        }
        _ = events
    }
}

/// A counter of the calls to SQLite's hooks, all on one thread.
private final class HookCalls {
    var trace = 0
    var progress = 0
    var authorizer = 0
    var log = 0

    static func count(
        _ context: UnsafeMutableRawPointer?,
        _ hook: ReferenceWritableKeyPath<HookCalls, Int>
    ) -> CInt {
        guard let context else { return 0 }
        Unmanaged<HookCalls>.fromOpaque(context).takeUnretainedValue()[keyPath: hook] += 1
        return 0
    }
}
