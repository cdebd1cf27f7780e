import Text

package struct DraftOptions: Sendable {
    package var name: String
    /// The description of the scenario, in one sentence.
    package var description: String
    /// The path of the database, as it appears in the scenario.
    package var database: String
    /// The paragraphs of the comment at the top of the scenario.
    package var introduction: [String] = []
    package var arms = DraftArm.defaults
    /// The total number of workers of all clients.
    package var workers = 4
    /// The total access rate of all clients, per second, or `nil` for closed loops.
    package var rate: Double?
    /// The share of workers and of the rate for writes, from 0 to 1, or `nil` to use the share of
    /// writing operations.
    package var writeShare: Double?
    /// The duration of the measured phase, in seconds.
    package var seconds = 5.0
    /// The distributions of parameters by name, as a YAML mapping without braces.
    package var values: [String: String] = [:]

    package init(name: String, description: String, database: String) {
        self.name = name
        self.description = description
        self.database = database
    }
}

/// An arm that can be specified on a command line.
package struct DraftArm: Sendable, Equatable {
    package let name: String
    let comment: String
    let yaml: String

    /// The default arms, which compare a queue with a pool.
    package static let defaults = ["queue", "queue-wal", "pool"].compactMap { DraftArm($0) }

    /// The valid names, for error messages and help.
    package static let names = "queue, queue-wal, pool, pool-8 (with any number of readers), raw"

    /// Creates the arm with a name, or returns `nil` if the name is unknown.
    package init?(_ name: String) {
        self.name = name
        switch name {
        case "queue":
            comment =
                "One connection, with SQLite's defaults: a rollback journal, synchronous FULL."
            yaml = "{type: queue}"
        case "queue-wal":
            comment = "One connection, with a write-ahead log and synchronous NORMAL."
            yaml = "{type: queue, journal: wal}"
        case "pool":
            comment = "A writer and four readers, with a write-ahead log."
            yaml = "{type: pool, readers: 4}"
        case "raw":
            comment = "libsqlite3 alone, with a write-ahead log and a connection for each worker."
            yaml = "{library: raw}"
        default:
            guard name.hasPrefix("pool-"), let readers = Int(name.dropFirst(5)),
                (1...1000).contains(readers)
            else { return nil }
            comment = "A writer and \(readers) \(readers == 1 ? "reader" : "readers")."
            yaml = "{type: pool, readers: \(readers)}"
        }
    }

    var lines: [String] { ["  " + Escaping.yamlComment(comment), "  \(name): \(yaml)"] }
}
