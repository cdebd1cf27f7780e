import WorkloadEngine

/// A statement without its literals and comments.
package struct NormalizedStatement: Equatable, Sendable {
    /// Its text with `?` for each value, and with lists shortened to one value: equal for
    /// executions of the same statement.
    package let key: String
    /// The text between its slots; one more than there are slots.
    let pieces: [String]
    /// Its slots, in their order.
    let slots: [StatementSlot]
    /// The names of the slots' parameters, without the sign before them; nil for a literal and
    /// for `?`.
    let parameterNames: [String?]
    /// Its first keyword in upper case; for `WITH`, that of the main statement.
    package let verb: String
    /// The first table that it names; nil for none.
    let table: String?
    /// The tables that it names and that the schema does not have.
    let missingTables: [String]

    /// Whether it only reads, as far as its text shows.
    var readsOnly: Bool { ["SELECT", "VALUES", "EXPLAIN", "PRAGMA"].contains(verb) }

    /// Why it cannot be part of a load that repeats; nil where it can.
    var obstacle: String? {
        switch verb {
        case "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "VALUES", "SAVEPOINT", "RELEASE",
            "ROLLBACK":
            nil
        case "PRAGMA": "a PRAGMA"
        case "ATTACH", "DETACH": "it attaches databases"
        case "VACUUM", "REINDEX", "ANALYZE": "it maintains the database"
        case "CREATE", "DROP", "ALTER": "it changes the schema"
        default: "\(verb) is not replayed"
        }
    }

    /// Its text with a text for each slot.
    func sql(_ text: (Int) -> String) -> String {
        slots.indices.reduce(pieces[0]) { $0 + text($1) + pieces[$1 + 1] }
    }
}
