/// A command for another process, sent as one line of JSON on its standard input.
package enum PeerCommand: Codable, Sendable {
    /// Runs SQL and replies with the first row of the last statement that returns rows.
    case sql(String)
    /// Commits several times and replies with the times.
    case commit(CommitLoad)
}

/// The reply of the other process, sent as one line of JSON on its standard output.
package enum PeerReply: Codable, Sendable {
    /// The process is ready for commands, or it has performed its warm-up reads.
    case ready
    /// The first row of a command's SQL, as text, and the time that the SQL took.
    case row([String?], nanoseconds: UInt64)
    /// The times of the commits in a command.
    case times(CommitTimes)
    /// The command failed with an SQLite result code.
    case failure(code: Int32, message: String)
}

/// A sequence of commits that each add one to the shared counter.
package struct CommitLoad: Codable, Sendable {
    /// The number of commits.
    package var count: Int
    /// The number of pages that each commit changes in addition to the page of the counter.
    package var pages: Int
    /// The pause after each commit in microseconds.
    package var pause: UInt32
    /// SQL that runs between commits, such as a checkpoint, or `nil` for none.
    package var maintenance: String?
    /// The number of commits between two runs of `maintenance`.
    package var maintenanceInterval: Int

    /// Creates a load.
    ///
    /// By default, commits follow each other without a pause.
    package init(
        count: Int,
        pages: Int = 0,
        pause: UInt32 = 0,
        maintenance: String? = nil,
        every maintenanceInterval: Int = 1
    ) {
        self.count = count
        self.pages = pages
        self.pause = pause
        self.maintenance = maintenance
        self.maintenanceInterval = maintenanceInterval
    }
}
