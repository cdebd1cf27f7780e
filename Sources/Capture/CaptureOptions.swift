/// What a captured scenario may show, and what it is called.
package struct CaptureOptions: Sendable {
    /// Whether literals stay that are the same in at least ``leastCount`` executions.
    package var showsLiterals = false
    /// Whether distributions are fitted to observed values, and frequent values are shown.
    package var showsValues = false
    /// How often a value must have been seen to be shown.
    package var leastCount = 5
    /// The scenario's name.
    package var name = "captured"
    /// The path of the database, as the scenario refers to it.
    package var database: String
    /// The journal mode that the database's header shows.
    package var journal: String
    /// What was captured, such as a file's name.
    package var origin: String

    /// What limits the capture, one sentence each.
    package var notes: [String] = []
    /// The commits that changed the database during the capture, counted without the trace; nil
    /// where nothing counted them.
    package var observedCommits: Int?

    /// How long a sync of a file takes on this machine, in seconds; nil where it is unknown.
    package var syncSeconds: Double?

    /// Creates options.
    package init(database: String, journal: String = "delete", origin: String = "a program") {
        self.database = database
        self.journal = journal
        self.origin = origin
    }
}
