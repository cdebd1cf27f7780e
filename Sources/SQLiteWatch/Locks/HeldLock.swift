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
