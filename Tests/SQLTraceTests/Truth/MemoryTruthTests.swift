#if os(Linux)
import Findings
import Foundation
import SQLiteWatch
import TestSupport
import Testing

@testable import SQLTrace

/// Tests what the session reads from the memory of unmodified programs.
@Suite(
    .enabled(if: TracedPrograms.isAvailable, "skipped: SQL cannot be traced here"),
    .serialized,
    .timeLimit(.minutes(3))
)
struct MemoryTruthTests {
    @Test func countersOfStatementsAreExact() throws {
        let folder = TemporaryFolder()
        let (path, program) = try TracedPrograms.prepared(folder)
        try program.run(
            """
            c.executemany('INSERT INTO stock(n) VALUES(?)', [(i,) for i in range(500)])
            c.execute('SELECT id FROM stock WHERE n = 7').fetchall()
            """
        )
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        try program.run(
            """
            for i in range(9): c.execute('SELECT id FROM stock WHERE n = 7').fetchall()
            for i in range(5): c.execute('SELECT id FROM stock ORDER BY n').fetchall()
            for i in range(4): c.execute('SELECT %d FROM stock WHERE id = 1' % i).fetchall()
            for i in range(3):
                c.execute('CREATE TEMP TABLE x(a)')
                c.execute('SELECT n FROM stock WHERE id = ?', (i,)).fetchall()
                c.execute('DROP TABLE x')
            d = connect(path)
            for i in range(3):
                c.execute('SELECT name FROM stock WHERE id < ?', (i + 2,)).fetchall()
                d.execute('CREATE TABLE y%d(a)' % i)
            \(TracedPrograms.end)
            """
        )
        let executions = session.executions()
        let statements = try session.database().statements
        func counters(_ text: String) throws -> WatchedCounters {
            try #require(statements.first { $0.sql == text }?.counters)
        }
        // The counters before the first execution in the trace are unknown.
        let scan = try counters("SELECT id FROM stock WHERE n = ?")
        #expect(scan.runs == 8 && scan.preparations == 0)
        #expect(scan.fullScanSteps == 8 * 499 && scan.sorts == 0)
        let sort = try counters("SELECT id FROM stock ORDER BY n")
        #expect(sort.runs == 5 && sort.preparations == 1 && sort.sorts == 5)
        let prepared = try counters("SELECT ? FROM stock WHERE id = ?")
        #expect(prepared.runs == 4 && prepared.preparations == 4)
        let again = try counters("SELECT n FROM stock WHERE id = ?")
        #expect(again.runs == 3 && again.preparations == 1 && again.repreparations == 2)
        // A statement that finds another schema while it runs starts twice and is executed once.
        let started = try counters("SELECT name FROM stock WHERE id < ?")
        #expect(started.runs == 3 && started.preparations == 1 && started.repreparations == 2)
        func rows(_ text: String) -> [UInt64?] {
            executions.filter { $0.sql == text }.map(\.rows)
        }
        #expect(rows("SELECT n FROM stock WHERE id = ?") == [0, 1, 1])
        #expect(rows("SELECT name FROM stock WHERE id < ?") == [1, 2, 3])
    }

    @Test func settingsAreThoseInForce() throws {
        let folder = TemporaryFolder()
        let (path, program) = try TracedPrograms.prepared(folder)
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        try program.run(
            """
            idle = connect(path)
            idle.execute('SELECT count(*) FROM sqlite_master').fetchall()
            c.execute('PRAGMA synchronous = NORMAL')
            c.execute('BEGIN'); c.execute('PRAGMA foreign_keys = ON'); c.execute('COMMIT')
            c.execute('INSERT INTO stock(n) VALUES(1)')
            unused = connect(path, timeout=1)
            \(TracedPrograms.end)
            """
        )
        session.executions()
        func connections() throws -> [WatchedConnection] { try session.database().connections }
        let first = try #require(try connections().first { $0.hasWritten })
        #expect(first.settings.busyTimeoutMilliseconds == 200)
        #expect(first.settings.synchronous == .normal)
        #expect(first.settings.foreignKeys == false)
        #expect(first.pragmas.map(\.name) == ["foreign_keys", "synchronous"])
        #expect(first.pragmas.map(\.isActive) == [false, true])
        #expect(try connections().count == 2)
        #expect(try session.database().copies.map(\.connections) == [2])
        // A change is visible in the next report, whether it is traced or not.
        try program.run(
            "c.execute('PRAGMA foreign_keys = ON'); c.execute('PRAGMA busy_timeout = 77')"
        )
        let later = try #require(try connections().first { $0.hasWritten })
        #expect(later.settings.foreignKeys == true)
        #expect(later.settings.busyTimeoutMilliseconds == 77)
        try program.run("c.close(); idle.execute(\"SELECT 'end of test'\").fetchall()")
        session.executions()
        #expect(try connections().map(\.hasWritten) == [false])
    }
}
#endif
