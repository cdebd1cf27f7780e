#if os(Linux)
import SQLiteWatch
import TestSupport
import Testing

@testable import SQLTrace

/// Tests traces of programs that contain SQLite and cannot be loaded as a library.
@Suite(
    .enabled(if: TracedPrograms.isAvailable, "skipped: SQL cannot be traced here"),
    .enabled(if: LinkedProgram.isAvailable, "no static SQLite is installed"),
    .serialized,
    .timeLimit(.minutes(3))
)
struct LinkedProgramTruthTests {
    @Test(arguments: LinkedProgram.Kind.allCases)
    func callsAreExact(kind: LinkedProgram.Kind) throws {
        let folder = TemporaryFolder()
        let (binary, path) = (folder.file("program"), folder.file())
        try LinkedProgram.compile(kind, to: binary)
        let program = try LinkedProgram(binary, database: path)
        try program.execute("CREATE TABLE stock(id INTEGER PRIMARY KEY, n)")
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        for number in 0..<137 {
            try program.execute("BEGIN")
            try program.execute("INSERT INTO stock(n) VALUES(\(number))")
            try program.execute("COMMIT")
        }
        for number in 0..<211 { try program.execute("SELECT * FROM stock WHERE id = \(number)") }
        try program.execute("SELECT 'end of test'")
        let executions = session.executions()
        #expect(executions.allSatisfy { $0.process == program.pid && $0.database == path })
        let database = try session.database()
        func calls(_ text: String) -> UInt64? {
            database.statements.first { $0.sql == text }.map { UInt64($0.calls) }
        }
        #expect(calls("BEGIN") == 137)
        #expect(calls("INSERT INTO stock (n) VALUES (?)") == 137)
        #expect(calls("COMMIT") == 137)
        #expect(calls("SELECT * FROM stock WHERE id = ?") == 211)
    }

    @Test(arguments: LinkedProgram.Kind.allCases)
    func aProgramHasTheLayoutOfItsLibrary(kind: LinkedProgram.Kind) throws {
        let folder = TemporaryFolder()
        let binary = folder.file("program")
        try LinkedProgram.compile(kind, to: binary)
        let calibration = Calibration(command: [TracedPrograms.helper, "calibration"])
        let library = try #require(SQLiteLibrary(path: binary, link: binary))
        let layout = try calibration.layout(of: library).get()
        #expect(layout.busyCalls != nil && layout.busyTimeout != nil && layout.values != nil)
        #expect(layout.resultCode == layout.programCounter + 4)
    }
}
#endif
