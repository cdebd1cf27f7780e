import Findings
import TestSupport
import Testing

@testable import SQLiteWatch

struct LockTableTests {
    private let file = FileIdentity(
        device: FileIdentity.Device(major: 0xfe, minor: 0),
        inode: 16_236_618
    )

    private func locks(_ text: String, inode: UInt64 = 16_236_618) -> [FileLock] {
        LockTable.parse(Array(text.utf8), inodes: [inode])
    }

    @Test func aLineBecomesALock() {
        let lock = FileLock(process: 4711, isWrite: false, file: file, bytes: 124...124)
        #expect(locks("1: POSIX  ADVISORY  READ 4711 fe:00:16236618 124 124\n") == [lock])
    }

    @Test func aLockToTheEndOfFileCoversAllBytes() {
        let found = locks("1: POSIX  ADVISORY  WRITE 7 fe:00:16236618 0 EOF")
        #expect(found.first?.bytes == 0...UInt64.max)
        #expect(found.first?.isWrite == true)
    }

    @Test(arguments: [
        "1: FLOCK  ADVISORY  WRITE 5852 fe:00:16236618 0 EOF",
        "1: OFDLCK ADVISORY  WRITE -1 fe:00:16236618 0 EOF",
        "1: -> POSIX  ADVISORY  WRITE 7 fe:00:16236618 0 0",
        "1: POSIX  ADVISORY  WRITE 7 fe:00:9 0 0",
        "1: POSIX  ADVISORY  WRITE 7 fe:00:16236618 5 4",
        "1: POSIX  ADVISORY  WRITE 7 fe:00:16236618 5",
        "1: POSIX  ADVISORY  WRITE 7 00:16236618 5 5",
        "1: POSIX  ADVISORY  WRITE 99999999999 fe:00:16236618 5 5",
        "1: POSIX  ADVISORY  WRITE 7 fe:00:16236618 99999999999999999999999 5",
        "", "\n\n", "1:", "1: POSIX",
    ])
    func otherLinesAreSkipped(line: String) {
        #expect(locks(line).isEmpty)
    }

    @Test func aMergedRangeRepresentsEachOfItsLocks() {
        let text = """
            1: POSIX  ADVISORY  WRITE 7 fe:00:16236618 120 121
            2: POSIX  ADVISORY  READ 7 fe:00:16236618 126 128
            """
        let identity = LockIdentity(inode: file.inode, devices: [file.device])
        let held = LockBytes.processes(in: locks(text), database: nil, index: identity, isWAL: true)
        #expect(
            held[7]?.held == [
                HeldLock(kind: .writer), HeldLock(kind: .checkpoint),
                HeldLock(kind: .reader, mark: 3), HeldLock(kind: .reader, mark: 4),
            ]
        )
        #expect(held[7]?.isAttached == true)
    }

    @Test func aFileOnAnotherDeviceDoesNotMatch() {
        let found = locks("1: POSIX  ADVISORY  WRITE 7 00:27:16236618 120 120")
        let identity = LockIdentity(inode: file.inode, devices: [file.device])
        #expect(
            LockBytes.processes(in: found, database: nil, index: identity, isWAL: true).isEmpty
        )
        let overlay = LockIdentity(
            inode: file.inode,
            devices: [file.device, FileIdentity.Device(major: 0, minor: 0x27)]
        )
        let held = LockBytes.processes(in: found, database: nil, index: overlay, isWAL: true)
        #expect(held[7]?.held == [HeldLock(kind: .writer)])
    }

    @Test(arguments: [
        (true, false, "1073741826 1073742335", [LockKind]()),
        (false, false, "1073741826 1073742335", [.shared]),
        (false, true, "1073741825 1073741825", [.reserved]),
        (false, true, "1073741824 1073742335", [.exclusive, .pending, .reserved]),
        (true, true, "1073741826 1073742335", [.exclusive]),
    ])
    func databaseLocksDependOnTheJournal(
        isWAL: Bool,
        isWrite: Bool,
        range: String,
        expected: [LockKind]
    ) {
        let mode = isWrite ? "WRITE" : "READ"
        let found = locks("1: POSIX  ADVISORY  \(mode) 7 fe:00:16236618 \(range)")
        let identity = LockIdentity(inode: file.inode, devices: [file.device])
        let held = LockBytes.processes(
            in: found,
            database: identity,
            index: nil,
            isWAL: isWAL
        )
        #expect(held[7]?.held == Set(expected.map { HeldLock(kind: $0) }))
    }

    @Test func mutatedListsNeverTrap() {
        var random = SeededRandom(seed: 14)
        let line = Array("1: POSIX  ADVISORY  READ 4711 fe:00:16236618 124 124\n".utf8)
        for _ in 0..<20_000 {
            var text = line + line
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let index = Int.random(in: text.indices, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: text[index] = UInt8.random(in: 0...255, using: &random)
                case 1: text.remove(at: index)
                default: text.insert(text[index], at: index)
                }
                if text.isEmpty { break }
            }
            _ = LockTable.parse(text, inodes: [16_236_618, 0, 1])
        }
    }
}
