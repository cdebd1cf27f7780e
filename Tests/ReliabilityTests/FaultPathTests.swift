import CSQLite
import FaultVFS
import Foundation
import SQLiteEngine
import Testing

/// Makes each operation on a file fail, along each path through the engine.
///
/// After a fault, the path either succeeds or throws a `DatabaseError`. The database object works
/// again, the database is intact, and it contains all acknowledged commits.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct FaultPathTests {
    private static let kinds = UInt32(
        FAULT_OPEN | FAULT_READ | FAULT_WRITE | FAULT_SYNC | FAULT_TRUNCATE | FAULT_SIZE
            | FAULT_LOCK | FAULT_DELETE | FAULT_SHM_MAP | FAULT_SHM_LOCK
    )

    /// The distance between two attacked operations: 1 with `./test --faults`.
    private static let stride =
        ProcessInfo.processInfo.environment["POOLGAUGE_FAULTS"] == nil ? 5 : 1

    struct Mode: Sendable, CustomTestStringConvertible {
        var isPersistent: Bool
        /// The result code of failing writes, or 0 for an input/output error.
        var code: Int32
        var testDescription: String

        static let all = [
            Mode(isPersistent: false, code: 0, testDescription: "one failure"),
            Mode(isPersistent: true, code: 0, testDescription: "failures from then on"),
            // SQLITE_FULL
            Mode(isPersistent: true, code: 13, testDescription: "disk full"),
        ]
    }

    @Test(arguments: FaultPath.all, Mode.all)
    func everyFaultIsSurvived(path: FaultPath, mode: Mode) throws {
        faults_install()
        for subject in path.subjects { try attack(path, mode, subject) }
    }

    private func attack(_ path: FaultPath, _ mode: Mode, _ subject: Subject) throws {
        let template = try FaultFolder()
        let setup = try subject.open(template.database)
        try setup.write { db in
            try db.execute(sql: "CREATE TABLE t(number INTEGER, text TEXT)")
            for _ in 0..<WrittenRows.initial {
                try db.execute(sql: "INSERT INTO t VALUES (0, hex(randomblob(300)))")
            }
        }
        try setup.close()
        let folder = try FaultFolder()
        let memory = sqlite3_memory_used()
        let kinds = mode.code == 0 ? Self.kinds : UInt32(FAULT_WRITE)
        var nth: Int64 = 1
        while true {
            try folder.copyFiles(of: template)
            var rows = WrittenRows()
            faults_start(folder.url.path, kinds, nth, mode.isPersistent ? 1 : 0, mode.code)
            var writer: (any DatabaseWriter)?
            var failure: (any Error)?
            let last = LastValue()
            var observation: AnyDatabaseCancellable?
            do {
                let opened = try subject.open(folder.database)
                writer = opened
                if path.isObserved { observation = last.start(in: opened) }
                try path.run(opened, folder, &rows)
            } catch { failure = error }
            let failed = faults_failed()
            _ = faults_stop()
            let place: Comment = "\(path.name) of a \(subject), operation \(nth): \(failure as Any)"
            if let failure { #expect(failure is DatabaseError, place) }
            if failed == 0 { #expect(failure == nil, place) }
            if let writer { try useAgain(writer, path, last, &rows, place) }
            observation?.cancel()
            observation = nil
            writer = nil
            #expect(
                isEventually {
                    folder.openFiles ?? [] == [] && sqlite3_memory_used() <= memory
                },
                "open: \(folder.openFiles ?? []), bytes: \(sqlite3_memory_used() - memory): \(place)"
            )
            let reopened = try subject.open(folder.database)
            let contradiction = try reopened.read { try rows.contradiction(in: $0) }
            #expect(contradiction == nil, place)
            try reopened.close()
            if failed == 0 { break }
            nth += Int64(Self.stride)
        }
        // A path without operations would test nothing. Some paths write nothing.
        if mode.code == 0 { #expect(nth > 1) }
    }

    /// Expects that a database object works after a fault, unless the path has closed it.
    ///
    /// The observation, if any, has ended with an error or delivers the committed value.
    private func useAgain(
        _ writer: any DatabaseWriter,
        _ path: FaultPath,
        _ last: LastValue,
        _ rows: inout WrittenRows,
        _ place: Comment
    ) throws {
        do {
            try rows.write(writer)
            let contradiction = try writer.read { try rows.contradiction(in: $0) }
            #expect(contradiction == nil, place)
            if path.isObserved {
                let count = try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
                #expect(
                    isEventually { last.error != nil || last.value == count },
                    "observed \(last.value as Any) of \(count as Any): \(place)"
                )
                if let error = last.error { #expect(error is DatabaseError, place) }
            }
            try writer.close()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE && path.closes {
            // The path has closed the connection.
        } catch { Issue.record("\(error) after: \(place)") }
    }
}
