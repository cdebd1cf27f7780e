#if os(Linux)
import Findings
import Foundation
import TestSupport
import Testing

@testable import SQLiteWatch

/// Programs whose open files are not the files that the path names now.
@Suite(.enabled(if: ForeignProgram.isAvailable), .timeLimit(.minutes(1)))
struct StrayFileTests {
    private let folder = TemporaryFolder()

    private static let setUp = """
        import os
        c = connect(path); c.execute("pragma journal_mode=wal")
        c.execute("create table if not exists t(x)"); c.execute("insert into t values(1)")
        """

    /// Returns a program and the findings about it after it has run a script.
    ///
    /// A file that was deleted a moment ago may be one that SQLite is closing, so the test waits
    /// until the report contains a stray `part`.
    private func findings(
        after script: String,
        waitingFor part: WatchedStrayFile.Part? = nil
    ) throws -> (WatchedProcess?, [Finding]) {
        let program = try ForeignProgram(folder.file())
        try program.run(Self.setUp + "\n" + script)
        return try eventually("the report contains the file", every: 50_000) {
            let report = try WatchSession.watching(folder.file()).report()
            let process = report.process(program)
            let parts = process?.strayFiles?.map(\.part) ?? []
            guard part.map(parts.contains) ?? true else { return nil }
            return (process, report.findings)
        }
    }

    @Test func aDeletedLogIsAnAlarm() throws {
        let (process, findings) = try findings(
            after: #"os.remove(path + "-wal"); os.remove(path + "-shm")"#,
            waitingFor: .index
        )
        #expect(Set(process?.strayFiles?.map(\.part) ?? []) == [.wal, .index])
        #expect(process?.strayFiles?.allSatisfy { $0.isDeleted && $0.deleted != nil } == true)
        #expect(findings.first?.level == .alarm)
        #expect(findings.first?.text.contains("-wal file that was deleted") == true)
    }

    @Test func aReplacedDatabaseIsAnAlarm() throws {
        let (process, findings) = try findings(
            after: """
                import shutil
                shutil.copyfile(path, path + ".new"); os.rename(path + ".new", path)
                """,
            waitingFor: .database
        )
        #expect(process?.strayFiles?.contains { $0.part == .database && $0.isDeleted } == true)
        #expect(findings.first?.text.contains("the database was replaced") == true)
    }

    @Test func aHardLinkIsAnAlarm() throws {
        let (process, findings) = try findings(
            after: """
                os.link(path, path + ".link"); c.close()
                c = connect(path + ".link")
                c.execute("insert into t values(2)")
                """
        )
        #expect(process?.strayFiles?.map(\.part) == [.wal])
        #expect(findings.first?.text.contains("under another name") == true)
    }

    @Test func aDescriptorThatSQLiteDidNotOpenIsANote() throws {
        let (process, findings) = try findings(after: "other = open(path, 'rb')")
        #expect(process?.otherDescriptors == 1)
        #expect(process?.strayFiles == nil)
        #expect(findings.map(\.kind) == [.otherDescriptors])
        #expect(findings.map(\.level) == [.note])
    }

    @Test func anInheritedConnectionIsANote() throws {
        let (_, findings) = try findings(
            after: """
                reading, writing = os.pipe()
                if os.fork() == 0:
                    # Ends with this program.
                    os.close(writing); os.read(reading, 1); os._exit(0)
                """
        )
        #expect(findings.map(\.kind) == [.inheritedConnection])
    }

    @Test func aSymbolicLinkIsTheSameFile() throws {
        let (process, findings) = try findings(
            after: """
                os.symlink(path, path + ".link"); c.close()
                c = connect(path + ".link")
                c.execute("insert into t values(2)")
                """
        )
        #expect(process != nil)
        #expect(findings.isEmpty)
    }
}
#endif
