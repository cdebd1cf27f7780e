package struct CaptureOptions: Sendable {
    /// Whether to keep literals that are the same in all executions of a statement, if there are at
    /// least ``minimumCount`` executions.
    package var showsLiterals = false
    /// Whether to fit distributions to observed values and show frequent values.
    package var showsValues = false
    /// The number of times that a value must occur to be shown.
    package var minimumCount = 5
    package var name = "captured"
    /// The words of the database's full-text indexes.
    package var words = FullTextWords()
    /// The path of the database, as it appears in the scenario.
    package var database: String
    /// The journal mode in the database's header.
    package var journal: String
    /// The source of the capture, such as a file's name.
    package var origin: String

    /// The limitations of the capture, one sentence each.
    package var notes: [String] = []
    /// The number of commits that changed the database during the capture, counted independently of
    /// the trace, or `nil` if unknown.
    package var observedCommits: Int?

    /// The time that syncing a file takes on this machine, in seconds, or `nil` if unknown.
    package var syncSeconds: Double?

    package init(database: String, journal: String = "delete", origin: String = "a program") {
        self.database = database
        self.journal = journal
        self.origin = origin
    }
}
