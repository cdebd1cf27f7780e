#if os(Linux)
import Foundation
import Testing

@testable import SQLTrace

@Suite(.timeLimit(.minutes(1)))
struct CalibrationTests {
    private static let library = [
        "/usr/lib/x86_64-linux-gnu/libsqlite3.so.0", "/usr/lib/aarch64-linux-gnu/libsqlite3.so.0",
    ].first { FileManager.default.isReadableFile(atPath: $0) }

    @Test(.enabled(if: library != nil, "no shared SQLite is installed"))
    func aProcessThatKeepsRespondingExceedsTheDeadline() throws {
        let path = try #require(Self.library)
        let library = try #require(SQLiteLibrary(path: path, link: path))
        // The process writes a line every 20 ms, but never ends.
        let endless = "while :; do echo x; /bin/sleep 0.02; done"
        var calibration = Calibration(command: ["/bin/sh", "-c", endless])
        calibration.answerTimeout = 300_000_000
        let expected = TraceError(.calibration, "the calibration process returned no answer")
        #expect(throws: expected) { try calibration.layout(of: library).get() }
    }

    @Test(.enabled(if: library != nil, "no shared SQLite is installed"))
    func aLibraryIsCalibratedWhenItIsProbed() throws {
        let path = try #require(Self.library)
        let libraries = TracedLibraries(calibration: Calibration(command: ["/bin/false"]))
        let library = try #require(SQLiteLibrary(path: path, link: path))
        let entry = TracedLibraries.Entry(number: 0, library: library, code: 0..<1)
        #expect(entry.state == nil)
        libraries.calibrate(entry)
        let expected = TraceError(.calibration, "its code failed in the calibration process")
        #expect(throws: expected) { try entry.state?.get() }
    }

    @Test(.enabled(if: library != nil && TracedPrograms.isAvailable, "skipped: no SQLite"))
    func allSettingsOfAConnectionAreFound() throws {
        let path = try #require(Self.library)
        let library = try #require(SQLiteLibrary(path: path, link: path))
        let calibration = Calibration(command: [TracedPrograms.helper, "calibration"])
        let layout = try calibration.layout(of: library).get()
        let missing = ConnectionLayout.Field.allCases.filter { layout.settings[$0] == nil }
        #expect(missing.isEmpty)
        #expect(layout.version?.hasPrefix("3.") == true)
        #expect(layout.sourceID?.hasPrefix("20") == true)
        #expect(layout.counterCount >= 6)
    }

    /// In the apsw package, the compiler has removed the public function.
    @Test func aPrivateInitializerIsFound() {
        let function = ELFFile.Function(address: 64, fileOffset: 64, length: 8)
        let other = ELFFile.Function(address: 128, fileOffset: 128, length: 8)
        #expect(SQLiteFunctions.initializer(["sqlite3Initialize": function]) == function)
        let both = ["sqlite3Initialize": function, "sqlite3_initialize": other]
        #expect(SQLiteFunctions.initializer(both) == other)
        #expect(SQLiteFunctions.initializer([:]) == nil)
    }
}
#endif
