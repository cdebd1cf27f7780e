import WorkloadEngine

/// A statement without its literals and comments.
package struct NormalizedStatement: Equatable, Sendable {
    /// The text with `?` for each value, and with lists shortened to one value.
    ///
    /// Executions of the same statement have equal keys.
    package let key: String
    /// The text around the slots, with one more piece than there are slots.
    let pieces: [String]
    let slots: [StatementSlot]
    /// The names of the slots' parameters, without their prefix, or `nil` for literals and for `?`.
    let parameterNames: [String?]
    /// The first keyword in upper case or, for `WITH`, the main statement's first keyword.
    package let verb: String
    let table: String?
    /// The tables in the statement that the schema does not contain.
    let missingTables: [String]

    /// Whether the statement only reads, according to its verb.
    var isReadOnly: Bool { ["SELECT", "VALUES", "EXPLAIN", "PRAGMA"].contains(verb) }

    /// The reason that the statement cannot be repeated, or `nil` if it can be.
    var obstacle: String? {
        switch verb {
        case "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "VALUES", "SAVEPOINT", "RELEASE",
            "ROLLBACK":
            nil
        case "PRAGMA": "it is a PRAGMA"
        case "ATTACH", "DETACH": "it attaches or detaches a database"
        case "VACUUM", "REINDEX", "ANALYZE": "it maintains the database"
        case "CREATE", "DROP", "ALTER": "it changes the schema"
        default: "\(verb) is not replayed"
        }
    }

    /// Returns the SQL with a replacement for each slot.
    func sql(_ text: (Int) -> String) -> String {
        slots.indices.reduce(pieces[0]) { $0 + text($1) + pieces[$1 + 1] }
    }
}
