#if os(Linux)
import Foundation
import Glibc
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
        let library = try #require(SQLiteLibrary.test(path))
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
        let library = try #require(SQLiteLibrary.test(path))
        let entry = TracedLibraries.Entry(number: 0, library: library, code: 0..<1)
        #expect(entry.state == nil)
        libraries.calibrate(entry)
        let expected = TraceError(.calibration, "its code failed in the calibration process")
        #expect(throws: expected) { try entry.state?.get() }
    }

    @Test(.enabled(if: library != nil && TracedPrograms.isAvailable, "skipped: no SQLite"))
    func allSettingsOfAConnectionAreFound() throws {
        let path = try #require(Self.library)
        let library = try #require(SQLiteLibrary.test(path))
        let calibration = Calibration(command: [TracedPrograms.helper, "calibration"])
        let layout = try calibration.layout(of: library).get()
        let missing = ConnectionLayout.Field.allCases.filter { layout.settings[$0] == nil }
        #expect(missing.isEmpty)
        #expect(layout.version?.hasPrefix("3.") == true)
        #expect(layout.sourceID?.hasPrefix("20") == true)
        #expect(layout.counterCount >= 6)
    }

    @Test(.enabled(if: library != nil && TracedPrograms.isAvailable, "skipped: no SQLite"))
    func filesAreExaminedInAnotherProcess() throws {
        let path = try #require(Self.library)
        let library = try #require(SQLiteLibrary.test(path))
        let other = try #require(DescriptorFile.open("/proc/self/exe"))
        defer { close(other.descriptor) }
        let calibration = Calibration(command: [TracedPrograms.helper, "calibration"])
        let found = calibration.descriptions(of: [library.descriptor, other.descriptor])
        #expect(found.first == library.description)
        #expect(found.first??.points.count == SQLiteLibrary.functions.count)
        #expect(found.last??.isProgram == true)
        // The descriptors may refer to files of any user, but not to other files of this process.
        #expect(calibration.descriptions(of: [-1]) == [nil])
    }

    @Test func aFileThatEndsTheProcessDoesNotHideOthers() throws {
        let file = try #require(DescriptorFile.open("/proc/self/exe")).descriptor
        defer { close(file) }
        let calibration = Calibration(command: ["/bin/sh", "-c", "printf 'program\\nsymb'"])
        let found = calibration.descriptions(of: [file, file, file])
        #expect(found.map { $0?.isProgram } == [true, nil, true])
        let failing = Calibration(command: ["/bin/false"])
        #expect(failing.descriptions(of: [file, file, file, file]) == [nil, nil])
    }

    @Test(arguments: [
        "other", "version=3.46.1", "copy version=3.46.1;", "sqlite3_step=1,2",
        "sqlite3_step=1,17,1", "sqlite3_step=2,1,1", "sqlite3_open=1,1,1",
        "sqlite3_step=281474976710656,281474976710656,1", "sqlite3_step=-1,1,1",
    ])
    func malformedDescriptionsAreRejected(text: String) {
        #expect(FileDescription(text: text) == nil)
    }

    @Test func aDescriptionIsReadAsItWasWritten() throws {
        let line = "symbols program go copy version=3.46.1 sqlite3_step=4096,4100,1"
        let description = try #require(FileDescription(text: line))
        #expect(description.text == line)
        #expect(description.copy == HiddenCopy(isGo: true, version: "3.46.1"))
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
