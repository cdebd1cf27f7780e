import CSQLite
import Foundation
import WorkloadEngine

/// A type that copies a database with SQLite's backup API (<https://sqlite.org/backup.html>), while
/// other processes may be using it.
///
/// In WAL mode, one read transaction covers the entire copy. The transaction does not block
/// writers, and the copy never restarts. In a rollback mode, a read lock blocks all writers, so the
/// copy releases the lock between steps. If a different process commits between two steps, the copy
/// restarts. After ``maximumRestarts`` restarts, one step copies all remaining pages.
struct DatabaseCopier {
    /// The number of pages in each step: 4 MiB with 4 KiB pages.
    var pagesPerStep: CInt = 1024
    /// The maximum number of restarts, after which the copy holds its lock until the end.
    var maximumRestarts = 3
    /// The pause between two steps in a rollback mode.
    ///
    /// A waiting writer can acquire the lock during the pause.
    private static let pause = Duration.milliseconds(5)
    /// The maximum time that a step waits for another process's lock.
    private static let lockTimeout = Duration.seconds(10)
    /// A closure that tests run between two steps.
    ///
    /// In a rollback mode, the copy holds no lock at that time.
    var betweenSteps: () -> Void = {}

    /// Copies a database to a new file.
    ///
    /// - Parameters:
    ///   - source: The database's path.
    ///   - path: The path of the copy, which uses a rollback journal.
    ///   - progress: A function that receives the copied fraction, from 0 to 1. The fraction never
    ///     decreases.
    /// - Throws: ``RawError`` with the path, ``FreeSpace/Shortage``, or an error from `progress`.
    func copy(
        _ source: String,
        to path: String,
        progress: (Double) throws -> Void
    ) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let name = URL(fileURLWithPath: source).lastPathComponent
        let purpose = "a copy of '\(name)'"
        let size = FreeSpace.size(of: source) + FreeSpace.size(of: source + "-wal")
        try FreeSpace.check(size, in: folder, for: purpose)
        let original = try RawConnection(
            path: source,
            busyTimeout: Self.lockTimeout,
            isReadOnly: true
        )
        defer { original.close() }
        let copy = try RawConnection(path: path, busyTimeout: Self.lockTimeout)
        defer { copy.close() }
        do {
            let mode = try original.rows("PRAGMA journal_mode", []).first?.first
            let isWAL = mode == .text("wal")
            if isWAL {
                try original.run("BEGIN DEFERRED", [])
                try original.run("SELECT rootpage FROM sqlite_master LIMIT 1", [])
            }
            try copyPages(original, copy, pauses: !isWAL, progress)
            // The copy has the original's journal mode. The arm selects a mode later.
            _ = try copy.rows("PRAGMA journal_mode = DELETE", [])
        } catch let error as RawError where error.isFull {
            let free = FreeSpace.bytes(in: folder) ?? 0
            throw FreeSpace.Shortage(folder: folder, purpose: purpose, required: size, free: free)
        }
    }

    private func copyPages(
        _ original: RawConnection,
        _ copy: RawConnection,
        pauses: Bool,
        _ progress: (Double) throws -> Void
    ) throws {
        var maximum = 0.0
        var last = 0.0
        var restarts = 0
        try original.backup(to: copy) {
            restarts >= maximumRestarts ? -1 : pagesPerStep
        } afterStep: { share in
            // The copied fraction increases with each step unless the copy restarts.
            if last > 0, share <= last { restarts += 1 }
            last = share
            maximum = max(maximum, share)
            try progress(maximum)
            guard share < 1 else { return }
            betweenSteps()
            if pauses { Thread.sleep(forTimeInterval: Self.pause / .seconds(1)) }
        }
    }
}
