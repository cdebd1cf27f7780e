#if os(Linux)
import Findings
import Foundation
import TestSupport
import Testing

@testable import SQLiteWatch

/// Tests that reports about real programs in WAL mode match the programs' behavior.
@Suite(.enabled(if: ForeignProgram.isAvailable), .timeLimit(.minutes(1)))
struct WALTruthTests {
    private let folder = TemporaryFolder()

    /// Starts a program with a connection `c` to a database in WAL mode that contains a table.
    private func program(_ setUp: String = "") throws -> ForeignProgram {
        let program = try ForeignProgram(folder.file())
        try program.run(
            """
            c = connect(path, timeout=0)
            c.execute("pragma journal_mode=wal"); c.execute("pragma wal_autocheckpoint=0")
            c.execute("create table if not exists t(x)")
            \(setUp)
            """
        )
        return program
    }

    @Test func anIdleProcessIsListedWithoutLocks() throws {
        let program = try program()
        let report = try WatchSession.watching(folder.file()).report()
        let process = try #require(report.process(program))
        #expect(process.locks.isEmpty)
        #expect(process.name.hasPrefix("python3"))
        #expect(process.commandLine?.contains("python3 -c") == true)
        #expect(process.user != nil)
        #expect(report.processes.map(\.pid) == [program.pid])
        #expect(report.file.state == .present)
        #expect(report.file.journalMode == .wal)
        #expect(report.verdict.kind == .nothing)
    }

    @Test func aWriterHoldsItsLockUntilItsCommit() throws {
        let program = try program()
        let session = try WatchSession.watching(folder.file())
        try program.run("c.execute('begin immediate'); c.execute('insert into t values(1)')")
        let report = session.report()
        #expect(report.locks(program).contains(.writer))
        #expect(report.process(program)?.share.writer.value == 1)
        try program.run("c.execute('commit')")
        let after = session.report()
        #expect(after.locks(program).isEmpty)
        #expect(after.process(program)?.share.writer.value == 0)
        #expect(after.wal?.commits == 1)
    }

    @Test func readersAreListedWithTheirMarks() throws {
        let first = try program("r = connect(path)")
        let second = try program()
        let session = try WatchSession.watching(folder.file())
        try first.run("c.execute('insert into t values(1)')")
        try first.run("r.execute('begin'); r.execute('select count(*) from t').fetchall()")
        try first.run("for i in range(7): c.execute('insert into t values(1)')")
        try second.run("c.execute('begin'); c.execute('select count(*) from t').fetchall()")
        let report = session.report()
        let old = try #require(report.process(first)?.locks.first)
        let new = try #require(report.process(second)?.locks.first)
        #expect(old.kind == .reader && new.kind == .reader)
        #expect(old.mark != new.mark)
        #expect(new.frame == report.wal?.frames)
        let frames = try #require(report.wal?.frames)
        let frame = try #require(old.frame)
        #expect(report.pins.map(\.pid) == [first.pid])
        #expect(report.pins.first?.frames == frames - frame)
        #expect(report.pins.first?.bytes == (frames - frame) * 4120)
        #expect(report.wal?.pinned == frames - frame)
    }

    @Test func aProcessOnTwoMarksIsListedOnce() throws {
        let program = try program("r = connect(path); s = connect(path)")
        try program.run(
            """
            r.execute('begin'); r.execute('select * from t').fetchall()
            c.execute('insert into t values(1)')
            s.execute('begin'); s.execute('select * from t').fetchall()
            """
        )
        let report = try WatchSession.watching(folder.file()).report()
        #expect(report.processes.count == 1)
        #expect(report.locks(program) == [.reader, .reader])
        #expect(Set(report.process(program)?.locks.map(\.mark) ?? []).count == 2)
    }

    @Test func aMarkWithoutALockIsNotAReader() throws {
        let program = try program("r = connect(path)")
        try program.run(
            """
            r.execute('begin'); r.execute('select * from t').fetchall(); r.execute('commit')
            c.execute('insert into t values(1)')
            """
        )
        let report = try WatchSession.watching(folder.file()).report()
        #expect(report.wal?.marks.compactMap(\.self).contains { $0 > 0 } == true)
        #expect(report.locks(program).isEmpty)
        #expect(report.pins.isEmpty)
    }

    @Test func aReaderThatIgnoresTheLogUsesMarkZero() throws {
        let writer = try program("c.execute('pragma wal_checkpoint(truncate)')")
        let reader = try program()
        try reader.run("c.execute('pragma wal_checkpoint(truncate)')")
        try reader.run("c.execute('begin'); c.execute('select count(*) from t').fetchall()")
        try writer.run("c.execute('insert into t values(1)')")
        let report = try WatchSession.watching(folder.file()).report()
        #expect(report.process(reader)?.locks.map(\.mark) == [0])
        #expect(report.pins.first?.pid == reader.pid)
        #expect(report.pins.first?.frames == report.wal?.frames)
    }

    @Test func aCheckpointThatWaitsHoldsBothLocks() throws {
        let checkpointer = try program("for i in range(5): c.execute('insert into t values(1)')")
        let reader = try program()
        try reader.run("c.execute('begin'); c.execute('select * from t').fetchall()")
        let session = try WatchSession.watching(folder.file())
        try checkpointer.run("c.execute('pragma busy_timeout=60000')")
        try checkpointer.begin("c.execute('pragma wal_checkpoint(truncate)').fetchall()")
        try eventually(every: 20_000) {
            session.report(samples: 1).locks(checkpointer).contains(.checkpoint)
        }
        try eventually(every: 20_000) {
            session.report(samples: 2).process(checkpointer)?.waiting?.isWaiting ?? cannotInfer
        }
        let report = session.report()
        #expect(report.locks(checkpointer).contains(.writer))
        #expect(report.locks(reader) == [.reader])
        try reader.run("c.execute('commit')")
        try checkpointer.finish()
        let after = session.report()
        #expect(after.wal?.frames == 0)
        #expect(after.wal?.resets == 1)
        #expect(after.locks(checkpointer).isEmpty)
    }

    @Test func aWaitingWriterIsInferred() throws {
        let holder = try program("c.execute('begin immediate')")
        let waiter = try program("c.execute('pragma busy_timeout=60000')")
        let idle = try program()
        try idle.begin("time.sleep(600)")
        try waiter.begin("c.execute('insert into t values(2)')")
        let session = try WatchSession.watching(folder.file())
        var report = session.report()
        #if arch(x86_64)
        try eventually(every: 20_000) {
            report = session.report(samples: 2)
            // A check takes a bounded amount of time and may reach only some of the processes.
            return report.process(waiter)?.waiting?.isWaiting == true
                && [idle, holder].allSatisfy { report.process($0)?.waiting != nil }
        }
        #expect(report.process(idle)?.waiting?.isWaiting == false)
        #expect(report.process(holder)?.waiting?.isWaiting == false)
        // The state does not change until the next check.
        #expect(session.report(samples: 1).process(waiter)?.waiting?.isWaiting == true)
        #endif
        try holder.run("c.execute('commit')")
        try waiter.finish()
        #expect(session.report().process(waiter)?.waiting?.isWaiting != true)
    }

    private var cannotInfer: Bool {
        #if arch(x86_64)
        false
        #else
        true
        #endif
    }

    @Test func exclusiveLockingModeHoldsTheDatabase() throws {
        let first = try program()
        try first.run("c.close()")
        let program = try ForeignProgram(folder.file())
        try program.run(
            """
            c = connect(path); c.execute('pragma locking_mode=exclusive')
            c.execute('insert into t values(1)')
            """
        )
        let report = try WatchSession.watching(folder.file()).report()
        #expect(report.locks(program) == [.exclusive, .pending])
    }

    @Test func aCrashLeavesTheLogBehind() throws {
        let program = try program("for i in range(5): c.execute('insert into t values(1)')")
        program.kill()
        let report = try WatchSession.watching(folder.file()).report()
        #expect(report.processes.isEmpty)
        #expect(report.verdict.kind == .leftoverWAL)
        #expect((report.wal?.bytes ?? 0) > 0)
    }

    /// Recovery reads the whole log while it holds locks that exclude all other connections.
    @Test func recoveryIsReportedWhileItRuns() throws {
        let writer = try program("c.execute('pragma synchronous=off'); c.execute('begin')")
        try writer.run(
            "for i in range(20000): c.execute('insert into t values(zeroblob(3900))')"
        )
        try writer.run("c.execute('commit')")
        writer.kill()
        let session = try WatchSession.watching(folder.file())
        var seen: Set<LockKind> = []
        // A short recovery may occur between two samples. Repeat the recovery until a sample shows
        // it.
        try eventually(every: 20_000) {
            try FileManager.default.removeItem(atPath: folder.file() + "-shm")
            let reader = try ForeignProgram(folder.file())
            try reader.begin("c = connect(path); c.execute('select 1 from t').fetchone()")
            for _ in 0..<2_000 where !seen.contains(.recovery) {
                session.sample()
                let report = session.reports()[0]
                seen.formUnion(report.locks(reader))
                if report.wal?.frames != nil, report.processes.isEmpty { break }
            }
            try reader.finish()
            // Killing the reader prevents a checkpoint of the log.
            reader.kill()
            return seen.contains(.recovery)
        }
        #expect(seen.contains(.recovery))
    }

    @Test func commitsAreCountedExactly() throws {
        let program = try program()
        let session = try WatchSession.watching(folder.file())
        _ = session.report()
        try program.run("for i in range(250): c.execute('insert into t values(1)')")
        // An empty transaction and a transaction that is rolled back are not commits.
        try program.run("c.execute('begin immediate'); c.execute('commit')")
        try program.run("c.execute('begin'); c.execute('delete from t'); c.execute('rollback')")
        try program.run("c.execute('pragma wal_checkpoint(passive)').fetchall()")
        let report = session.report()
        #expect(report.wal?.commits == 250)
        #expect(report.wal?.checkpoints == 1)
        #expect(report.wal?.backfilled == report.wal?.frames)
    }

    /// Before the first commit to a new log, the wal-index contains no page size.
    @Test func aLargeTransactionIsReportedBeforeItsCommit() throws {
        let first = try program()
        try first.run("c.close()")
        let program = try ForeignProgram(folder.file())
        try program.run(
            """
            c = connect(path); c.execute("pragma cache_size=10"); c.execute("begin immediate")
            c.execute("select * from t").fetchall()
            """
        )
        let session = try WatchSession.watching(folder.file())
        #expect(session.report().wal?.frames == 0)
        try program.run(
            "for i in range(1500): c.execute('insert into t values(zeroblob(3900))')"
        )
        let report = session.report()
        #expect(report.wal?.frames == 0)
        #expect((report.wal?.room ?? 0) > 1_000)
        #expect(report.verdict.kind == .largeTransaction)
        #expect(report.verdict.cause == .largeTransaction)
        #expect(report.verdict.pid == program.pid)
    }

    @Test func vacuumWritesToTheLog() throws {
        let program = try program("c.execute('insert into t values(zeroblob(100000))')")
        let session = try WatchSession.watching(folder.file())
        let before = session.report()
        try program.run("c.execute('delete from t'); c.execute('vacuum')")
        let after = session.report()
        #expect(after.wal?.commits == 2)
        #expect(try #require(after.file.pages) < (try #require(before.file.pages)))
        #expect(after.locks(program).isEmpty)
    }

    @Test func fiftyProcessesAreAllListed() throws {
        let first = try program("for i in range(3): c.execute('insert into t values(1)')")
        let code = """
            pids = []
            for i in range(50):
                a, b = os.pipe()
                pid = os.fork()
                if pid == 0:
                    d = connect(path); d.execute('begin')
                    d.execute('select * from t').fetchall(); os.write(b, b'x'); time.sleep(600)
                    os._exit(0)
                os.read(a, 1); pids.append(pid)
            """
        try first.run(code)
        defer { try? first.run("for pid in pids: os.kill(pid, 9)") }
        let report = try WatchSession.watching(folder.file()).report()
        let readers = report.processes.filter { $0.locks.map(\.kind) == [.reader] }
        #expect(readers.count == 50)
        #expect(report.processes.count == 51)
    }
}
#endif
