import CSQLite
import Foundation
import WorkloadEngine

/// Copies a database that other processes may use, through SQLite's backup API
/// (<https://sqlite.org/backup.html>).
///
/// In WAL mode, one read transaction spans the copy: it keeps nobody from writing, and the copy
/// never starts over. In a rollback mode a read lock keeps all writers waiting, so the copy
/// releases it between its steps. A commit of another process makes it start over; after a few
/// times it copies the rest in one step.
struct DatabaseCopier {
    /// Pages that are copied in one step: 4 MiB at 4 KiB.
    var pagesPerStep: CInt = 1024
    /// How often the copy starts over before it keeps its lock to the end.
    var mostRestarts = 3
    /// The rest between two steps in a rollback mode: a writer that waits takes the lock.
    private static let rest = Duration.milliseconds(5)
    /// How long a step waits for another process's lock.
    private static let patience = Duration.seconds(10)
    /// Called between two steps, without a lock in a rollback mode; for tests.
    var betweenSteps: () -> Void = {}

    /// Copies a database into a file that does not exist yet.
    ///
    /// - Parameters:
    ///   - source: The path of the database.
    ///   - path: The path of the copy, which gets a rollback journal.
    ///   - progress: Called with the share that is copied, in 0…1, which never falls.
    /// - Throws: ``RawError`` that names the path, ``FreeSpace/Shortage``, or what `progress` threw.
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
            try copyPages(from, to, rests: !isWAL, progress)
            // The copy has the journal mode of its source; which one it gets is the arm's matter.
            _ = try to.rows("PRAGMA journal_mode = DELETE", [])
        } catch let error as RawError where error.isFull {
            let free = FreeSpace.bytes(in: folder) ?? 0
            throw FreeSpace.Shortage(folder: folder, purpose: purpose, required: size, free: free)
        }
    }

    private func copyPages(
        _ from: RawConnection,
        _ to: RawConnection,
        rests: Bool,
        _ progress: (Double) throws -> Void
    ) throws {
        var most = 0.0
        var last = 0.0
        var restarts = 0
        try from.backup(to: to) {
            restarts >= mostRestarts ? -1 : pagesPerStep
        } afterStep: { share in
            // A copy that goes on has more pages after each step.
            if last > 0, share <= last { restarts += 1 }
            last = share
            most = max(most, share)
            try progress(most)
            guard share < 1 else { return }
            betweenSteps()
            if rests { Thread.sleep(forTimeInterval: Self.rest / .seconds(1)) }
        }
    }
}
