import CSQLite
import Foundation
import WorkloadEngine

/// Copies a database that other processes may be using, with SQLite's backup API
/// (<https://sqlite.org/backup.html>).
///
/// In WAL mode, the entire copy runs in one read transaction. It does not block writers, and it
/// never restarts. In a rollback mode, a read lock blocks all writers, so the copy releases the
/// lock between steps. If another process then commits, the copy restarts. After a few restarts,
/// the remaining pages are copied in one step.
struct DatabaseCopier {
    /// The number of pages in each step, which is 4 MiB with pages of 4 KiB.
    var pagesPerStep: CInt = 1024
    /// The number of restarts after which the copy holds its lock until it ends.
    var mostRestarts = 3
    /// The pause between two steps in a rollback mode, during which a waiting writer can acquire
    /// the lock.
    private static let pause = Duration.milliseconds(5)
    /// The maximum time that a step waits for a lock of another process.
    private static let patience = Duration.seconds(10)
    /// A function that tests set to run code between two steps.
    ///
    /// In a rollback mode, the copy does not hold a lock at that time.
    var betweenSteps: () -> Void = {}

    /// Copies a database to a file that does not exist yet.
    ///
    /// - Parameters:
    ///   - source: The database's path.
    ///   - path: The path of the copy, which uses a rollback journal.
    ///   - progress: A function that receives the copied fraction, in 0…1, which never decreases.
    /// - Throws: ``RawError`` with the path, ``FreeSpace/Shortage``, or an error that `progress`
    ///   throws.
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
        let from = try RawConnection(path: source, busyTimeout: Self.patience, isReadOnly: true)
        defer { from.close() }
        let to = try RawConnection(path: path, busyTimeout: Self.patience)
        defer { to.close() }
        do {
            let mode = try from.rows("PRAGMA journal_mode", []).first?.first
            let isWAL = mode == .text("wal")
            if isWAL {
                try from.run("BEGIN DEFERRED", [])
                try from.run("SELECT rootpage FROM sqlite_master LIMIT 1", [])
            }
            try copyPages(from, to, pauses: !isWAL, progress)
            // The copy has the journal mode of its source. The arm selects its own mode later.
            _ = try to.rows("PRAGMA journal_mode = DELETE", [])
        } catch let error as RawError where error.isFull {
            let free = FreeSpace.bytes(in: folder) ?? 0
            throw FreeSpace.Shortage(folder: folder, purpose: purpose, required: size, free: free)
        }
    }

    private func copyPages(
        _ from: RawConnection,
        _ to: RawConnection,
        pauses: Bool,
        _ progress: (Double) throws -> Void
    ) throws {
        var maximum = 0.0
        var last = 0.0
        var restarts = 0
        try from.backup(to: to) {
            restarts >= mostRestarts ? -1 : pagesPerStep
        } afterStep: { share in
            // Without a restart, the copied fraction increases with each step.
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
