import SQLiteEngine
import Telemetry
import TestSupport
import Testing

/// Runs the samples in "Watching a pool".
@Suite(.timeLimit(.minutes(1)))
struct DocumentedWatchingTests {
    private let documented = DocumentedDatabase()
    private var path: String { documented.path }

    /// Collects the output of a sample.
    private final class Printed: Sendable {
        private let lines = Lock<[String]>([])
        var all: [String] { lines.withLock { $0 } }

        func callAsFunction(_ items: Any...) {
            let line = items.map { "\($0)" }.joined(separator: " ")
            lines.withLock { $0.append(line) }
        }
    }

    @Test func connectionsAndTheirHolders() throws {
        let pool = try documented.makePoolWithThreePlayers()
        let print = Printed()
        try pool.write { _ in
            // sample
            let status = pool.status()
            for connection in status.connections {
                print(
                    connection.label,
                    connection.state,
                    connection.holder?.name ?? "free",
                    connection.sql ?? ""
                )
            }
            // end
        }
        #expect(print.all.first?.contains("writer closure DocumentedWatchingTests.swift:") == true)
        // sample
        let count = try pool.read(as: AccessLabel("leaderboard")) { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
        }
        // end
        #expect(count == 3)
    }

    @Test func waitersAndReaders() throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        let pool = try DatabasePool(path: path, configuration: configuration)
        let print = Printed()
        let (isReading, mayEnd) = (Gate(), Gate())
        let first = pool.status()
        let reading = Background {
            try pool.read { _ in
                isReading.open()
                try mayEnd.wait()
            }
        }
        try isReading.wait()
        let waiting = Background { try pool.read(as: AccessLabel("patient")) { _ in } }
        try eventually { !pool.status().waitingReaders.isEmpty }
        do {
            // sample
            let status = pool.status()
            if let oldest = status.waitingReaders.first {
                print(oldest.origin.name, "has waited for", oldest.waitedNanoseconds, "ns")
            }
            if let readers = status.readers {
                print(readers.inUse, "of", readers.maximum, "readers in use, at most", readers.peak)
            }
            // end
        }
        #expect(print.all.first?.hasPrefix("patient has waited") == true)
        #expect(print.all.last?.hasPrefix("1 of 1 readers in use") == true)
        // sample
        func saturation(from first: DatabaseStatus, to last: DatabaseStatus) -> Double? {
            guard let begin = first.readers?.saturatedNanoseconds,
                let end = last.readers?.saturatedNanoseconds
            else { return nil }
            let elapsed = last.takenAtNanoseconds - first.takenAtNanoseconds
            return Double(end - begin) / Double(elapsed)
        }
        // end
        let share = try #require(saturation(from: first, to: pool.status()))
        #expect(share > 0 && share <= 1)
        mayEnd.open()
        try reading.value()
        try waiting.value()
    }

    @Test func listening() async throws {
        let pool = try documented.makePoolWithThreePlayers()
        let reported = Lock<[String]>([])
        @Sendable func report(_ name: String, _ waited: UInt64, _ held: UInt64) {
            reported.withLock { $0.append(name) }
        }
        // sample
        let events = pool.events(slowerThan: .milliseconds(100))
        let listener = Task {
            for await event in events {
                if case .slowAccess(let origin, let waited, let held) = event.kind {
                    report(origin.name, waited, held)
                }
            }
        }
        // end
        try await pool.read(as: AccessLabel("slow")) { _ in
            let end = monotonicNanoseconds() + 110_000_000
            while monotonicNanoseconds() < end {}
        }
        try await eventuallyAsync { reported.withLock { $0.contains("slow") } }
        listener.cancel()
    }

    @Test func theLogAndItsSnapshots() throws {
        let pool = try documented.makePoolWithThreePlayers()
        let print = Printed()
        let snapshot = try pool.makeSnapshot(as: AccessLabel("backup"))
        try pool.write { try $0.execute(sql: "UPDATE player SET score = 0") }
        try eventually { pool.status().wal?.pin != nil }
        // sample
        if let pin = pool.status().wal?.pin {
            print(pin.cause, "by", pin.by.name, "for", pin.ageNanoseconds / 1_000_000, "ms")
        }
        // end
        #expect(print.all.first?.hasPrefix("oldReader by backup for") == true)
        // sample
        for snapshot in pool.status().snapshots {
            let origin = snapshot.origin?.name ?? "unknown"
            print(origin, snapshot.ageNanoseconds, snapshot.pinnedFrames ?? 0)
        }
        // end
        #expect(print.all.last?.hasPrefix("backup ") == true)
        withExtendedLifetime(snapshot) {}
    }

    @Test func probeLevels() throws {
        // sample
        var configuration = Configuration()
        configuration.probes = .full
        let pool = try DatabasePool(path: path, configuration: configuration)
        // end
        for _ in 1...10 { _ = try pool.read { try Int.fetchOne($0, sql: "SELECT 1") } }
        let splits = try #require(pool.status().splits)
        let measured = splits.filter { $0.role == .reader }.reduce(0) { $0 + $1.count }
        #expect(measured >= 10)
    }
}
