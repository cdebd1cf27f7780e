import Findings

struct HeldLock: Hashable, Sendable {
    var kind: LockKind
    /// The read mark, or `nil` for kinds other than ``LockKind/reader``.
    var mark: Int?
}

struct ProcessLocks: Equatable, Sendable {
    var process: Int32
    var held: Set<HeldLock> = []
    /// Whether the locks show that the process has a connection to the database.
    var isAttached = false
}

/// A type that maps locked bytes to SQLite's locks (https://sqlite.org/walformat.html, section 2.3,
/// and `PENDING_BYTE` in https://sqlite.org/src/file/src/os.h).
enum LockBytes {
    static let writer: UInt64 = 120
    static let checkpoint: UInt64 = 121
    static let recovery: UInt64 = 122
    static let firstReader: UInt64 = 123
    static let attached: UInt64 = 128

    static let pending: UInt64 = 0x4000_0000
    static let reserved = pending + 1
    static let shared = (pending + 2)...(pending + 511)

    /// Adds the SQLite locks that a system lock on a `-shm` file represents.
    static func addIndexLock(_ lock: FileLock, to locks: inout ProcessLocks) {
        if lock.bytes.contains(attached) { locks.isAttached = true }
        if lock.isWrite {
            if lock.bytes.contains(writer) { locks.held.insert(HeldLock(kind: .writer)) }
            if lock.bytes.contains(checkpoint) { locks.held.insert(HeldLock(kind: .checkpoint)) }
            if lock.bytes.contains(recovery) { locks.held.insert(HeldLock(kind: .recovery)) }
        } else {
            // A process acquires a write lock on a mark only to change the mark.
            for mark in 0..<WALIndexHeader.markCount
            where lock.bytes.contains(firstReader + UInt64(mark)) {
                locks.held.insert(HeldLock(kind: .reader, mark: mark))
            }
        }
    }

    /// Adds the SQLite locks that a system lock on a database file represents.
    ///
    /// In WAL mode, each connection always holds the shared lock, which is therefore omitted.
    static func addDatabaseLock(_ lock: FileLock, isWAL: Bool, to locks: inout ProcessLocks) {
        if lock.bytes.overlaps(shared) {
            locks.isAttached = true
            if lock.isWrite {
                locks.held.insert(HeldLock(kind: .exclusive))
            } else if !isWAL {
                locks.held.insert(HeldLock(kind: .shared))
            }
        }
        guard lock.isWrite else { return }
        if lock.bytes.contains(reserved) { locks.held.insert(HeldLock(kind: .reserved)) }
        if lock.bytes.contains(pending) { locks.held.insert(HeldLock(kind: .pending)) }
    }

    /// Returns the write locks that queries found, by process.
    ///
    /// The result omits locks of processes in other PID namespaces.
    static func writeLocks(_ probes: [FileSample.Probe]) -> [Int32: ProcessLocks] {
        var found: [Int32: ProcessLocks] = [:]
        for probe in probes where probe.isWrite && probe.process > 0 {
            let kind: LockKind? =
                switch (probe.isIndex, probe.byte) {
                case (true, writer): .writer
                case (true, checkpoint): .checkpoint
                case (true, recovery): .recovery
                case (false, pending): .pending
                case (false, reserved): .reserved
                case (false, shared.lowerBound): .exclusive
                default: nil
                }
            guard let kind else { continue }
            found[probe.process, default: ProcessLocks(process: probe.process)].held
                .insert(HeldLock(kind: kind))
        }
        return found
    }

    /// Returns the SQLite locks of each process, from the system's locks on the database file and
    /// its wal-index.
    static func processes(
        in locks: [FileLock],
        database: LockIdentity?,
        index: LockIdentity?,
        isWAL: Bool
    ) -> [Int32: ProcessLocks] {
        var found: [Int32: ProcessLocks] = [:]
        for lock in locks {
            if let index, index.matches(lock.file) {
                addIndexLock(
                    lock,
                    to: &found[lock.process, default: ProcessLocks(process: lock.process)]
                )
            } else if let database, database.matches(lock.file) {
                addDatabaseLock(
                    lock,
                    isWAL: isWAL,
                    to: &found[lock.process, default: ProcessLocks(process: lock.process)]
                )
            }
        }
        return found
    }
}

/// A POSIX lock in `/proc/locks`.
struct FileLock: Hashable, Sendable {
    /// The ID of the process that holds the lock.
    var process: Int32
    /// Whether the lock is a write lock, which excludes all other locks.
    var isWrite: Bool
    var file: FileIdentity
    /// The locked bytes.
    ///
    /// Adjacent locks of the same process appear as one lock.
    var bytes: ClosedRange<UInt64>
}

/// A type that parses `/proc/locks`.
///
/// A line has the form `1: POSIX  ADVISORY  READ 4711 08:01:1234 123 123`. The device is
/// hexadecimal and the inode is decimal. The last two fields are the first and last byte, or `EOF`
/// for the end of the file. The parser works on bytes because the list is read up to 100 times per
/// second.
enum LockTable {
    /// Returns the locks on files with the given inodes, ignoring malformed lines.
    static func parse(_ text: [UInt8], inodes: Set<UInt64>) -> [FileLock] {
        text.withUnsafeBufferPointer { buffer in
            var found: [FileLock] = []
            var scanner = LineScanner(buffer[...])
            while scanner.nextLine() {
                if let lock = scanner.lock(inodes: inodes) { found.append(lock) }
            }
            return found
        }
    }

    private struct LineScanner {
        private var rest: Slice<UnsafeBufferPointer<UInt8>>
        private var line: Slice<UnsafeBufferPointer<UInt8>>

        init(_ text: Slice<UnsafeBufferPointer<UInt8>>) {
            rest = text
            line = text[text.startIndex..<text.startIndex]
        }

        mutating func nextLine() -> Bool {
            guard !rest.isEmpty else { return false }
            let end = rest.firstIndex(of: 0x0a) ?? rest.endIndex
            line = rest[rest.startIndex..<end]
            rest = end < rest.endIndex ? rest[(end + 1)...] : rest[end...]
            return true
        }

        /// Returns the POSIX lock that the current line describes, or `nil` if the line is
        /// malformed, describes a different kind of lock, or refers to a file with a different
        /// inode.
        mutating func lock(inodes: Set<UInt64>) -> FileLock? {
            // A line for a waiting process has "->" in this position. SQLite never waits in a lock
            // call.
            guard word() != nil, let kind = word(), kind.elementsEqual("POSIX".utf8), word() != nil,
                let mode = word(), let process = decimal(word()).flatMap(Int32.init(exactly:)),
                let place = word()
            else { return nil }
            let parts = place.split(separator: 0x3a, omittingEmptySubsequences: false)
            guard parts.count == 3, let inode = decimal(parts[2]), inodes.contains(inode),
                let major = hexadecimal(parts[0]), let minor = hexadecimal(parts[1]),
                let first = decimal(word()), let end = word()
            else { return nil }
            guard let last = end.elementsEqual("EOF".utf8) ? UInt64.max : decimal(end),
                first <= last
            else { return nil }
            return FileLock(
                process: process,
                isWrite: mode.elementsEqual("WRITE".utf8),
                file: FileIdentity(
                    device: FileIdentity.Device(major: major, minor: minor),
                    inode: inode
                ),
                bytes: first...last
            )
        }

        private mutating func word() -> Slice<UnsafeBufferPointer<UInt8>>? {
            line = line.drop { $0 == 0x20 }
            guard !line.isEmpty else { return nil }
            let end = line.firstIndex(of: 0x20) ?? line.endIndex
            defer { line = line[end...] }
            return line[line.startIndex..<end]
        }

        private func decimal(_ word: Slice<UnsafeBufferPointer<UInt8>>?) -> UInt64? {
            guard let word, !word.isEmpty else { return nil }
            var value: UInt64 = 0
            for byte in word {
                guard (0x30...0x39).contains(byte) else { return nil }
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                let (sum, carry) = product.addingReportingOverflow(UInt64(byte - 0x30))
                if overflow || carry { return nil }
                value = sum
            }
            return value
        }

        private func hexadecimal(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32? {
            UInt32(String(decoding: word, as: UTF8.self), radix: 16)
        }
    }
}
