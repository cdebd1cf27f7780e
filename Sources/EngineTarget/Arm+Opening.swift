import WorkloadEngine

extension Arm {
    /// The statements that each connection of a queue or pool runs first.
    ///
    /// The statements do not select WAL mode, because the libraries do so.
    package var openingPragmas: [String] {
        var statements = pragmas.map { "PRAGMA \($0.name) = \($0.value)" }
        // If the arm does not set a journal mode, use SQLite's default mode for a queue, regardless
        // of the file's current mode.
        let mode = journal ?? (kind == .queue ? .delete : nil)
        if kind == .queue || kind == .memory, let mode, mode != .wal {
            statements.append("PRAGMA journal_mode = \(mode.rawValue)")
        }
        return statements
    }

    /// Sets `PRAGMA synchronous` after `target` is open.
    ///
    /// The setting affects only the writing connection.
    ///
    /// - Throws: The library's error.
    package func setSynchronous(of target: some WorkloadTarget) throws {
        guard let synchronous else { return }
        // Set the value after the switch to WAL mode, which sets NORMAL.
        try target.perform(.writeWithoutTransaction, as: WorkloadClientName("setup")) {
            _ = try $0.rows("PRAGMA synchronous = \(synchronous)", [])
        }
    }
}
