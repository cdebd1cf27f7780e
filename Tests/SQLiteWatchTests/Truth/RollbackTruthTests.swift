#if os(Linux)
import Findings
import Foundation
import TestSupport
import Testing

@testable import SQLiteWatch

/// Tests that reports about real programs with a rollback journal match the programs' behavior.
@Suite(.enabled(if: ForeignProgram.isAvailable), .timeLimit(.minutes(1)))
struct RollbackTruthTests {
    private let folder = TemporaryFolder()

    private func program() throws -> ForeignProgram {
        let program = try ForeignProgram(folder.file())
        try program.run(
            "c = connect(path, timeout=0); c.execute('create table if not exists t(x)')"
        )
        return program
    }

    @Test func anIdleConnectionIsFoundByItsDescriptor() throws {
        let program = try program()
        let report = try WatchSession.watching(folder.file()).report()
        #expect(report.processes.map(\.pid) == [program.pid])
        #expect(report.locks(program).isEmpty)
        #expect(report.file.journalMode == .rollback)
        #expect(report.wal == nil)
    }

    @Test func aReaderHoldsTheSharedLock() throws {
        let program = try program()
        try program.run("c.execute('begin'); c.execute('select * from t').fetchall()")
        let report = try WatchSession.watching(folder.file()).report()
        #expect(report.locks(program) == [.shared])
    }

    @Test func aTransactionAcquiresReservedPendingAndExclusiveLocks() throws {
        let writer = try program()
        let reader = try program()
        let session = try WatchSession.watching(folder.file())
        try writer.run("c.execute('begin immediate'); c.execute('insert into t values(1)')")
        // The journal exists, but it is not hot.
        let reserved = session.report()
        #expect(reserved.locks(writer) == [.reserved, .shared])
        #expect(reserved.rollback?.journalBytes != nil)
        #expect(reserved.rollback?.isHot == false)

        try reader.run("c.execute('begin'); c.execute('select * from t').fetchall()")
        try writer.run(
            """
            try: c.execute('commit')
            except sqlite3.OperationalError: pass
            """
        )
        let pending = session.report()
        #expect(pending.locks(writer) == [.pending, .reserved, .shared])
        #expect(pending.locks(reader) == [.shared])

        try reader.run("c.execute('commit')")
        try writer.run("c.execute('commit'); c.execute('begin exclusive')")
        let exclusive = session.report()
        #expect(exclusive.locks(writer).first == .exclusive)
        #expect(exclusive.process(writer)?.share.writer.value == 1)
        try writer.run("c.execute('commit')")
        #expect(session.report().locks(writer).isEmpty)
    }

    @Test func aWriterThatWaitsForTheReservedLockIsInferred() throws {
        let holder = try program()
        let waiter = try program()
        try holder.run("c.execute('begin immediate')")
        try waiter.run("c.execute('pragma busy_timeout=60000')")
        try waiter.begin("c.execute('insert into t values(2)')")
        let session = try WatchSession.watching(folder.file())
        #if arch(x86_64)
        try eventually(every: 20_000) {
            session.report(samples: 2).process(waiter)?.waiting?.isWaiting == true
        }
        #endif
        #expect(session.report().locks(holder).first == .reserved)
        try holder.run("c.execute('commit')")
        try waiter.finish()
        let after = session.report()
        #expect(after.process(waiter)?.waiting?.isWaiting != true)
        #expect(after.rollback?.transactions == 1)
    }

    /// Only the first transaction changes the change counter.
    @Test func exclusiveLockingModeKeepsTheExclusiveLock() throws {
        let program = try program()
        try program.run(
            "c.execute('pragma locking_mode=exclusive'); c.execute('insert into t values(1)')"
        )
        let session = try WatchSession.watching(folder.file())
        #expect(session.report().locks(program).first == .exclusive)
        try program.run("for i in range(5): c.execute('insert into t values(1)')")
        let report = session.report()
        #expect(report.process(program)?.share.writer.value == 1)
        #expect(report.rollback?.isHot == false)
        #expect(report.rollback != nil && report.rollback?.transactions == nil)
    }

    @Test func vacuumIsATransaction() throws {
        let program = try program()
        try program.run("c.execute('insert into t values(zeroblob(100000))')")
        let session = try WatchSession.watching(folder.file())
        let before = session.report()
        try program.run("c.execute('delete from t'); c.execute('vacuum')")
        let after = session.report()
        #expect(after.rollback?.transactions == 2)
        #expect(try #require(after.file.pages) < (try #require(before.file.pages)))
        #expect(after.file.freePages == 0)
        #expect(after.locks(program).isEmpty)
    }

    @Test func transactionsAreCountedByTheChangeCounter() throws {
        let program = try program()
        let session = try WatchSession.watching(folder.file())
        _ = session.report()
        try program.run("for i in range(40): c.execute('insert into t values(1)')")
        #expect(session.report().rollback?.transactions == 40)
    }

    @Test func aCrashLeavesAHotJournal() throws {
        let program = try program()
        try program.run(
            """
            c.execute('pragma cache_size=1'); c.execute('begin')
            for i in range(200): c.execute('insert into t values(zeroblob(2000))')
            """
        )
        program.kill()
        let report = try WatchSession.watching(folder.file()).report()
        #expect(report.rollback?.isHot == true)
        #expect(report.verdict.kind == .hotJournal)
        #expect(report.processes.isEmpty)
    }

    @Test(arguments: ["truncate", "persist"])
    func anEndedJournalIsNotHot(mode: String) throws {
        let program = try program()
        try program.run(
            "c.execute('pragma journal_mode=\(mode)'); c.execute('insert into t values(1)')"
        )
        let report = try WatchSession.watching(folder.file()).report()
        #expect(report.rollback?.journalBytes != nil)
        #expect(report.rollback?.isHot == false)
        #expect(report.verdict.kind == .nothing)
    }

    @Test func aDatabaseMayChangeItsJournalMode() throws {
        let program = try program()
        let session = try WatchSession.watching(folder.file())
        #expect(session.report().file.journalMode == .rollback)
        try program.run(
            "c.execute('pragma journal_mode=wal'); c.execute('insert into t values(1)')"
        )
        let wal = session.report()
        #expect(wal.file.journalMode == .wal)
        #expect(wal.wal?.frames == 1)
        #expect(wal.rollback == nil)
        try program.run("c.execute('pragma journal_mode=delete')")
        #expect(session.report().file.journalMode == .rollback)
    }

    @Test func aFileMayAppearDisappearAndBeReplaced() throws {
        let session = try WatchSession.watching(folder.file())
        let missing = session.report()
        #expect(missing.file.state == .missing)
        #expect(missing.verdict.kind == .unavailable)
        let first = try program()
        #expect(session.report().file.state == .present)
        try FileManager.default.removeItem(atPath: folder.file())
        #expect(session.report().file.state == .missing)
        let second = try program()
        try second.run("c.execute('begin immediate')")
        let replaced = session.report()
        #expect(replaced.locks(second) == [.reserved, .shared])
        #expect(replaced.locks(first).isEmpty)
    }

    @Test func otherFilesAreReported() throws {
        let session = try WatchSession.watching(folder.file())
        try Data().write(to: URL(fileURLWithPath: folder.file()))
        #expect(session.report().file.state == .empty)
        try Data("This is a text, and not a database at all.".utf8)
            .write(to: URL(fileURLWithPath: folder.file()))
        #expect(session.report().file.state == .notADatabase)
        try FileManager.default.removeItem(atPath: folder.file())
        try FileManager.default.createDirectory(
            atPath: folder.file(),
            withIntermediateDirectories: false
        )
        let report = session.report()
        #expect(report.file.state == .notADatabase)
        #expect(report.file.problem?.contains("regular file") == true)
    }

    /// Opening a pipe would wait for a writer, and reading it would consume its content.
    @Test func aNamedPipeIsNotOpened() throws {
        #expect(mkfifo(folder.file(), 0o600) == 0)
        #expect(try WatchSession.watching(folder.file()).report().file.state == .notADatabase)
    }

    @Test func namesAreEscapedForTerminals() throws {
        let program = try ForeignProgram(
            folder.file("a\u{1b}[31m\n.sqlite"),
            name: "e\u{1b}[2J\u{9b}x"
        )
        try program.run("c = connect(path); c.execute('create table t(x)')")
        let session = try WatchSession.watching(folder.file("a\u{1b}[31m\n.sqlite"))
        let report = session.report()
        #expect(report.process(program)?.name == "e\u{1b}[2J\u{9b}x")
        let line = try WatchJSON.line(of: report)
        for text in [WatchText.text(of: report), try WatchJSON.text(of: report), line] {
            let unsafe = text.unicodeScalars.filter {
                ($0.value < 0x20 && $0 != "\n") || (0x7f...0x9f).contains($0.value)
            }
            #expect(unsafe.isEmpty)
        }
        #expect(line.filter { $0 == "\n" }.count == 1)
        let decoded = try JSONDecoder().decode(WatchReport.self, from: Data(line.utf8))
        #expect(decoded == report)
    }
}
#endif
