import Foundation
import TestSupport
import Testing

@testable import SQLiteEngine

/// Examines the lock bytes of a suspended database with `F_OFD_GETLK`.
///
/// In WAL mode, each open connection holds a shared lock on the database file and on byte 128 of
/// the wal-index. They prevent nothing but a change of the journal mode, and end only with the
/// connection, so this suite does not examine them.
@Suite(.timeLimit(.minutes(1)))
struct SuspendedLockBytesTests {
    /// The bytes of a file that transactions lock.
    ///
    /// The descriptors are closed when the object is released. At that time, the process must not
    /// use the database, because closing a descriptor releases the process's locks.
    private final class LockBytes {
        /// The bytes of the wal-index for the writer, the checkpoint, recovery, and the read marks.
        static let log = Int64(120)...127
        /// The bytes of the database file for pending and reserved locks.
        static let file = Int64(0x4000_0000)...0x4000_0001

        private let file: CInt
        private let log: CInt

        init(path: String) {
            file = open(path, O_RDONLY)
            log = open(path + "-shm", O_RDONLY)
        }

        deinit {
            close(file)
            if log >= 0 { close(log) }
        }

        private func isLocked(_ descriptor: CInt, _ byte: Int64) -> Bool {
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            lock.l_whence = Int16(SEEK_SET)
            lock.l_start = off_t(byte)
            lock.l_len = 1
            // 36 is F_OFD_GETLK on Linux, which Swift's Glibc module lacks.
            return fcntl(descriptor, 36, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
        }

        var locked: [Int64] {
            Self.file.filter { isLocked(file, $0) }
                + (log < 0 ? [] : Self.log.filter { isLocked(log, $0) })
        }
    }

    private let folder = TemporaryFolder()

    private func makePool() throws -> DatabasePool {
        var configuration = Configuration()
        configuration.observesSuspensionNotifications = true
        let pool = try DatabasePool.withTable(in: folder, configuration: configuration)
        try pool.write { try $0.insert(1) }
        return pool
    }

    #if os(Linux)
    @Test func noIdleConnectionHoldsALockAfterTheSuspension() throws {
        let pool = try makePool()
        let bytes = LockBytes(path: pool.path)
        defer {
            pool.resume()
            try? pool.close()
            withExtendedLifetime(bytes) {}
        }
        for round in 0..<200 {
            // Readers keep their transactions, and therefore their marks, between reads.
            for _ in 0..<5 { _ = try pool.rowCount() }
            if round % 2 == 0 { try pool.write { try $0.insert(round) } }
            for _ in 0..<5 { _ = try pool.rowCount() }
            pool.suspend()
            #expect(bytes.locked == [], "round \(round)")
            // Reads continue, and leave no lock.
            _ = try pool.rowCount()
            #expect(bytes.locked == [], "round \(round), after a read")
            pool.resume()
        }
    }

    @Test func aRunningReadReleasesItsMarkWhenItEnds() throws {
        let pool = try makePool()
        let bytes = LockBytes(path: pool.path)
        defer {
            pool.resume()
            try? pool.close()
            withExtendedLifetime(bytes) {}
        }
        for _ in 0..<20 {
            let (isReading, mayEnd) = (Gate(), Gate())
            let reading = Background {
                try pool.read { db in
                    _ = try db.rowCount()
                    isReading.open()
                    try mayEnd.wait()
                }
            }
            try isReading.wait()
            pool.suspend()
            #expect(bytes.locked.count == 1, "a read mark")
            mayEnd.open()
            try reading.value()
            #expect(bytes.locked == [])
            pool.resume()
        }
    }

    /// A suspension that interrupts running reads and waits for their end, as the article
    /// recommends.
    @Test func interruptingAndWaitingReleasesAllLocks() throws {
        let pool = try makePool()
        let bytes = LockBytes(path: pool.path)
        defer {
            pool.resume()
            try? pool.close()
            withExtendedLifetime(bytes) {}
        }
        let isReading = Gate()
        let reading = Background {
            try pool.read { db in
                _ = try db.rowCount()
                isReading.open()
                return try Int.fetchOne(
                    db,
                    sql: """
                        WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c)
                        SELECT COUNT(*) FROM c
                        """
                )
            }
        }
        try isReading.wait()
        pool.suspend()
        // The statement may not have started yet.
        try eventually {
            pool.interrupt()
            return pool.status().readers?.inUse == 0
        }
        try pool.barrierWriteWithoutTransaction { _ in }
        #expect(bytes.locked == [])
        #expect(throws: DatabaseError.self) { try reading.value() }
    }
    #endif
}
