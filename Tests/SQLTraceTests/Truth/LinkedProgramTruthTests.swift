#if os(Linux)
import Foundation
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

    /// The loader and the libraries exist only in the program's root directory, as in a container.
    @Test func aProgramIsCalibratedInItsRootDirectory() throws {
        let folder = TemporaryFolder()
        let loader = "/poolgauge-loader"
        try LinkedProgram.compile(
            .strippedRelocatable,
            to: folder.file("program"),
            options: ["-Wl,--dynamic-linker=" + loader]
        )
        let libraries = "/lib/x86_64-linux-gnu/"
        try FileManager.default.createDirectory(
            atPath: folder.file(libraries),
            withIntermediateDirectories: true
        )
        for (source, target) in [
            ("/lib64/ld-linux-x86-64.so.2", loader),
            (libraries + "libc.so.6", libraries + "libc.so.6"),
            (libraries + "libm.so.6", libraries + "libm.so.6"),
        ] {
            let file = URL(fileURLWithPath: source).resolvingSymlinksInPath()
            try FileManager.default.copyItem(atPath: file.path, toPath: folder.file(target))
        }
        // Calibration opens /dev/null, which any empty file replaces.
        let devices = folder.file("dev")
        try FileManager.default.createDirectory(
            atPath: devices,
            withIntermediateDirectories: true
        )
        #expect(FileManager.default.createFile(atPath: devices + "/null", contents: nil))
        // The calibration process has no privileges.
        chmod(folder.path, 0o755)
        let program = try LinkedProgram(
            "/program",
            database: "/db.sqlite",
            through: ["/usr/sbin/chroot", folder.path]
        )
        try program.execute("CREATE TABLE stock(id INTEGER PRIMARY KEY, n)")
        let session = try TracedPrograms.session(folder.file())
        defer { session.close() }
        for number in 0..<37 { try program.execute("SELECT * FROM stock WHERE id = \(number)") }
        try program.execute("SELECT 'end of test'")
        session.executions()
        let statements = try session.database().statements
        #expect(statements.first { $0.sql.contains("WHERE id") }?.calls == 37)
    }

    @Test(arguments: LinkedProgram.Kind.allCases)
    func aProgramHasTheLayoutOfItsLibrary(kind: LinkedProgram.Kind) throws {
        let folder = TemporaryFolder()
        let binary = folder.file("program")
        try LinkedProgram.compile(kind, to: binary)
        let calibration = Calibration(command: [TracedPrograms.helper, "calibration"])
        let library = try #require(SQLiteLibrary.test(binary))
        let layout = try calibration.layout(of: library).get()
        #expect(layout.busyCalls != nil && layout.busyTimeout != nil && layout.values != nil)
        #expect(layout.resultCode == layout.programCounter + 4)
    }
}
#endif
