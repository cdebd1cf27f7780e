#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import SQLiteWatch

/// Tests that copies of databases in use by real programs are either consistent or refused.
@Suite(.enabled(if: ForeignProgram.isAvailable), .timeLimit(.minutes(1)))
struct DatabaseCopyTests {
    private let folder = TemporaryFolder()
    private let target = TemporaryFolder()

    private func makeCopy(limit: UInt64 = 1 << 30, isInUse: Bool = true) throws -> DatabaseCopy {
        try DatabaseCopy.make(
            of: folder.file(),
            in: target.path,
            limit: limit,
            isInUse: isInUse
        )
    }

    /// Starts a program with two tables.
    ///
    /// Each transaction changes one row in each table. The program's `check()` function fails if a
    /// copy does not contain the state of one commit.
    private func program(_ setUp: String, rows: Int = 400) throws -> ForeignProgram {
        let program = try ForeignProgram(folder.file())
        try program.run(
            """
            import random
            random.seed(14)
            c = connect(path, timeout=30)
            \(setUp)
            c.execute("create table if not exists a(id integer primary key, n)")
            c.execute("create table if not exists b(id integer primary key, n, padding)")
            c.execute("create index if not exists bn on b(n)")
            def transfer(i):
                row = random.randrange(\(rows))
                c.execute("begin immediate")
                c.execute("update a set n = ? where id = ?", (i, row))
                c.execute("update b set n = ? where id = ?", (-i, row))
                c.execute("commit")
            def check(copy, least):
                d = connect(copy)
                assert d.execute("pragma integrity_check").fetchall() == [("ok",)]
                one = d.execute("select count(*), total(n) from a").fetchone()
                other = d.execute("select count(*), -total(n) from b").fetchone()
                assert one == other, (one, other)
                last = d.execute("select max(n) from a").fetchone()[0]
                assert last >= least, (last, least)
            if c.execute("select count(*) from a").fetchone() == (0,):
                c.execute("begin")
                for row in range(\(rows)):
                    c.execute("insert into a values(?, 0)", (row,))
                    c.execute("insert into b values(?, 0, zeroblob(2000))", (row,))
                c.execute("commit")
                transfer(400)
            """
        )
        return program
    }

    @Test func anUnusedDatabaseIsCopied() throws {
        let program = try program("")
        try program.run("c.close()")
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
        let copy = try makeCopy(isInUse: false)
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy.path)) == before)
        #expect(copy.bytes == UInt64(before.count))
        try program.run("check('\(copy.path)', 400)")
    }

    /// Checkpoints change the database file during the copy, and the log restarts.
    @Test func aBusyDatabaseInWALModeIsCopiedAtACommit() throws {
        let program = try program(
            """
            c.execute('pragma journal_mode=wal'); c.execute('pragma synchronous=off')
            c.execute('pragma wal_autocheckpoint=300')
            """,
            rows: 8_000
        )
        let checker = try self.program("", rows: 8_000)
        try program.begin(
            """
            i = 400
            while not os.path.exists(path + '.stop'): i += 1; transfer(i); time.sleep(0.002)
            """
        )
        var made = 0
        while made < 3 {
            do throws(DatabaseCopy.Refusal) {
                let copy = try DatabaseCopy.make(
                    of: folder.file(),
                    in: target.path,
                    limit: 1 << 30,
                    isInUse: true
                )
                made += 1
                #expect(throws: Never.self) { try checker.run("check('\(copy.path)', 400)") }
                removeCopies()
            } catch {
                // The log restarted during each attempt.
                guard case .changing = error else {
                    Issue.record("\(error)")
                    break
                }
            }
        }
        try Data().write(to: URL(fileURLWithPath: folder.file() + ".stop"))
        try program.finish()
    }

    private func removeCopies() {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: target.file("copy.sqlite") + suffix)
        }
    }

    @Test func theLogOfACrashIsCopied() throws {
        let program = try program(
            "c.execute('pragma journal_mode=wal'); c.execute('pragma wal_autocheckpoint=0')"
        )
        program.kill()
        let copy = try makeCopy(isInUse: false)
        let checker = try self.program("")
        try checker.run("c.close(); check('\(copy.path)', 400)")
    }

    @Test func aHotJournalIsRolledBackOnlyInTheCopy() throws {
        let program = try program("")
        try program.run(
            """
            c.execute('pragma cache_size=1'); c.execute('begin')
            c.execute('update b set n = 7, padding = zeroblob(3000)')
            """
        )
        program.kill()
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
        let copy = try makeCopy(isInUse: false)
        let checker = try ForeignProgram(copy.path)
        try checker.run(
            "assert connect(path).execute('pragma integrity_check').fetchall() == [('ok',)]"
        )
        try checker.run(
            "assert connect(path).execute('select count(*) from b where n = 7').fetchone() == (0,)"
        )
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file())) == before)
        #expect(FileManager.default.fileExists(atPath: folder.file() + "-journal"))
    }

    @Test func aJournalForSeveralDatabasesIsRefused() throws {
        let program = try program("")
        try program.run("c.close()")
        // The journal ends with the name of a super-journal, as in commits that change several
        // databases.
        let journal = folder.file() + "-journal"
        var bytes = HeaderSamples.journal + [UInt8](repeating: 0, count: 600)
        bytes += JournalHeader.magic
        try Data(bytes).write(to: URL(fileURLWithPath: journal))
        #expect(throws: DatabaseCopy.Refusal.severalDatabases) { try makeCopy(isInUse: false) }
    }

    @Test func aCopyWaitsForAWritingTransactionAndIsThenRefused() throws {
        let program = try program("")
        try program.run("c.execute('begin exclusive')")
        #expect(throws: DatabaseCopy.Refusal.changing("a transaction is writing to it")) {
            try makeCopy()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path).isEmpty)
        // Other connections can still read while a connection holds a reserved lock.
        try program.run("c.execute('rollback'); c.execute('begin immediate')")
        try program.run("c.execute('insert into a(n) values(7)')")
        let copy = try makeCopy()
        try program.run("c.execute('rollback')")
        try program.run("check('\(copy.path)', 400)")
    }

    @Test func exclusiveLockingModeIsRefused() throws {
        let program = try program("c.execute('pragma locking_mode=exclusive')")
        try program.run("c.execute('pragma journal_mode=wal'); transfer(401)")
        #expect(
            throws: DatabaseCopy.Refusal.changing("a process uses it in exclusive locking mode")
        ) { try makeCopy() }
    }

    @Test func aLargeDatabaseIsRefusedWithItsSize() throws {
        let program = try program("")
        try program.run("c.close()")
        let size = try Data(contentsOf: URL(fileURLWithPath: folder.file())).count
        #expect(throws: DatabaseCopy.Refusal.tooLarge(UInt64(size))) {
            try makeCopy(limit: 100_000)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path).isEmpty)
    }

    /// The `-wal` file may be much larger than the log that it contains.
    @Test func onlyTheFramesInUseAreCopied() throws {
        let program = try program(
            "c.execute('pragma journal_mode=wal'); c.execute('pragma wal_autocheckpoint=0')"
        )
        try program.run("c.execute('pragma wal_checkpoint(restart)').fetchall(); transfer(401)")
        let log = try Data(contentsOf: URL(fileURLWithPath: folder.file() + "-wal")).count
        let copy = try makeCopy()
        let copied = try Data(contentsOf: URL(fileURLWithPath: copy.path + "-wal")).count
        #expect(copied < log / 4)
        try program.run("check('\(copy.path)', 401)")
    }
}
#endif
