#if os(Linux)
import Findings
import Foundation
import TestSupport
import Testing

@testable import SQLiteWatch

/// Tests that queries find the locks of another process.
@Suite(.enabled(if: ForeignProgram.isAvailable), .timeLimit(.minutes(1)))
struct LockQueryTests {
    private let folder = TemporaryFolder()

    private func createFiles() throws {
        for name in ["db.sqlite", "db.sqlite-shm"] {
            try Data().write(to: URL(fileURLWithPath: folder.file(name)))
        }
    }

    /// Returns the locks that queries find while a program holds locks.
    ///
    /// Each lock is a string with arguments of Python's `fcntl.lockf`.
    private func writeLocks(
        index: [String] = [],
        database: [String] = []
    ) throws -> ([Int32: Set<LockKind>], pid: Int32) {
        try createFiles()
        let program = try ForeignProgram(folder.file())
        try program.run("import fcntl; d = open(path, 'r+b'); i = open(path + '-shm', 'r+b')")
        for lock in index { try program.run("fcntl.lockf(i, fcntl.\(lock))") }
        for lock in database { try program.run("fcntl.lockf(d, fcntl.\(lock))") }
        let files = DatabaseFiles(path: Array(folder.file().utf8))
        let sample = files.sample(probesReaders: true)
        let found = LockBytes.writeLocks(sample.probes).mapValues { Set($0.held.map(\.kind)) }
        return (found, program.pid)
    }

    /// The locks to set, and the locks that queries must find.
    struct Case: Sendable, CustomTestStringConvertible {
        var locks: [String]
        var expected: Set<LockKind>
        var testDescription: String { locks.joined(separator: "; ") }
    }

    private static let indexCases: [Case] = [
        Case(locks: ["LOCK_EX, 1, 120"], expected: [.writer]),
        Case(locks: ["LOCK_EX, 1, 121"], expected: [.checkpoint]),
        Case(locks: ["LOCK_EX, 2, 121"], expected: [.checkpoint, .recovery]),
        Case(locks: ["LOCK_EX, 1, 120", "LOCK_EX, 1, 122"], expected: [.writer, .recovery]),
        Case(locks: ["LOCK_EX, 0, 0"], expected: [.writer, .checkpoint, .recovery]),
        Case(locks: ["LOCK_SH, 1, 120"], expected: []),
        Case(locks: ["LOCK_EX, 1, 123", "LOCK_SH, 1, 128"], expected: []),
    ]

    @Test(arguments: indexCases)
    func queriesFindLocksOnTheIndex(example: Case) throws {
        let (found, pid) = try writeLocks(index: example.locks)
        #expect(found[pid] ?? [] == example.expected)
        #expect(found.count == (example.expected.isEmpty ? 0 : 1))
    }

    private static let databaseCases: [Case] = [
        Case(locks: ["LOCK_EX, 1, 0x40000001"], expected: [.reserved]),
        Case(locks: ["LOCK_EX, 2, 0x40000000"], expected: [.pending, .reserved]),
        Case(locks: ["LOCK_EX, 512, 0x40000000"], expected: [.pending, .reserved, .exclusive]),
        Case(locks: ["LOCK_EX, 510, 0x40000002"], expected: [.exclusive]),
        Case(locks: ["LOCK_SH, 510, 0x40000002", "LOCK_SH, 1, 0x40000000"], expected: []),
    ]

    @Test(arguments: databaseCases)
    func queriesFindLocksOnTheDatabase(example: Case) throws {
        let (found, pid) = try writeLocks(database: example.locks)
        #expect(found[pid] ?? [] == example.expected)
        #expect(found.count == (example.expected.isEmpty ? 0 : 1))
    }

    @Test func severalProcessesHoldDifferentLocks() throws {
        try createFiles()
        let code = "import fcntl; i = open(path + '-shm', 'r+b'); fcntl.lockf(i, fcntl.LOCK_EX, 1,"
        let programs = try (0..<3).map { number in
            let program = try ForeignProgram(folder.file())
            try program.run("\(code) \(122 - number))")
            return program
        }
        let reader = try ForeignProgram(folder.file())
        try reader.run(
            "import fcntl; i = open(path + '-shm', 'r+b'); fcntl.lockf(i, fcntl.LOCK_SH, 1, 125)"
        )
        let sample = DatabaseFiles(path: Array(folder.file().utf8)).sample(probesReaders: true)
        let found = LockBytes.writeLocks(sample.probes)
        #expect(found[programs[0].pid]?.held == [HeldLock(kind: .recovery)])
        #expect(found[programs[1].pid]?.held == [HeldLock(kind: .checkpoint)])
        #expect(found[programs[2].pid]?.held == [HeldLock(kind: .writer)])
        #expect(found.count == 3)
        let reads = sample.probes.filter { !$0.isWrite }
        #expect(reads.map(\.process) == [reader.pid])
        #expect(reads.map(\.byte) == [125])
    }
}
#endif
