import WorkloadEngine

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
    /// The variables of parameters by name.
    package var values: [String: Variable] = [:]

    package init(name: String, description: String, database: String) {
        self.name = name
        self.description = description
        self.database = database
    }
}

/// An arm that can be specified on a command line.
package struct DraftArm: Sendable, Equatable {
    let arm: Arm
    let comment: String

    package var name: String { arm.name }

    /// The default arms, which compare a queue with a pool.
    package static let defaults = ["queue", "queue-wal", "pool"].compactMap { DraftArm($0) }

    /// The valid names, for error messages and help.
    package static let names = "queue, queue-wal, pool, pool-8 (with any number of readers), raw"

    /// Creates the arm with a name, or returns `nil` if the name is unknown.
    package init?(_ name: String) {
        switch name {
        case "queue":
            comment =
                "One connection, with SQLite's defaults: a rollback journal, synchronous FULL."
            arm = Arm(name: name, kind: .queue)
        case "queue-wal":
            comment = "One connection, with a write-ahead log and synchronous NORMAL."
            arm = Arm(name: name, kind: .queue, journal: .wal)
        case "pool":
            comment = "A writer and four readers, with a write-ahead log."
            arm = Arm(name: name, kind: .pool, readers: 4)
        case "raw":
            comment = "libsqlite3 alone, with a write-ahead log and a connection for each worker."
            arm = Arm(name: name, kind: .pool, library: .raw)
        default:
            guard name.hasPrefix("pool-"), let readers = Int(name.dropFirst(5)),
                (1...1000).contains(readers)
            else { return nil }
            comment = "A writer and \(readers) \(readers == 1 ? "reader" : "readers")."
            arm = Arm(name: name, kind: .pool, readers: readers)
        }
    }
}
