import WorkloadEngine

extension Arm {
    /// The statements that each connection of a queue or pool runs first.
    ///
    /// The statements do not select WAL mode, because the libraries do.
    package var openingPragmas: [String] {
        var statements = pragmas.map { "PRAGMA \($0.name) = \($0.value)" }
        // If the arm does not set a journal mode, a queue uses SQLite's default, regardless of the
        // file's mode.
        let own = journal ?? (kind == .queue ? .delete : nil)
        if kind == .queue || kind == .memory, let own, own != .wal {
            statements.append("PRAGMA journal_mode = \(own.rawValue)")
        }
        return statements
    }

    /// Sets the pragmas that affect only the writing connection, after `target` is open.
    ///
    /// - Throws: The library's error.
    package func setSynchronous(of target: some WorkloadTarget) throws {
        guard let synchronous else { return }
        // Set the value after switching to WAL mode, which sets NORMAL.
        try target.perform(.writeWithoutTransaction, as: WorkloadClientName("setup")) {
            _ = try $0.rows("PRAGMA synchronous = \(synchronous)", [])
        }
    }
}
