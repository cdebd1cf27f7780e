/// The journal mode of a database before an in-place run changes it.
///
/// Only WAL mode persists in the file (<https://sqlite.org/fileformat.html>, offset 18). This
/// type reads the mode through SQLite. If this process opened the file directly, closing it would
/// release the locks of all the process's connections.
struct OriginalJournal {
    private let path: String
    private let mode: Arm.Journal

    /// Reads the mode, or returns `nil` if the run uses a copy or the library cannot report the
    /// mode.
    ///
    /// - Throws: The library's error, for example if the database is locked.
    init?(of database: UserDatabase?, through factory: any WorkloadTargetFactory) throws {
        guard case .inPlace(let file) = database,
            let mode = try factory.journalMode(ofDatabaseAt: file.path)
        else { return nil }
        path = file.path
        self.mode = mode
    }

    /// Restores WAL mode or a rollback-journal mode.
    ///
    /// Close the run's target first. SQLite does not leave WAL mode while another connection is
    /// open.
    func restore(through factory: any WorkloadTargetFactory) {
        guard let current = try? factory.journalMode(ofDatabaseAt: path),
            (current == .wal) != (mode == .wal)
        else { return }
        let arm = Arm(name: "restore", kind: .queue, journal: mode == .wal ? .wal : .delete)
        try? factory.open(arm, at: path).close()
    }
}
