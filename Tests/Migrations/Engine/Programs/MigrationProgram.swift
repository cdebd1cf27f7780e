#if ENGINE_MIGRATIONS || GRDB
import Foundation

#if ENGINE_MIGRATIONS
import SQLiteEngine
#else
import GRDB
#endif

/// A program that migrates a file in phases, such as the versions of an application.
///
/// Only the file connects the phases, so that each can run with another library.
package struct MigrationProgram: Sendable {
    typealias Phase = @Sendable (inout Session) throws -> Void

    package let name: String
    private let phases: [Phase]

    init(_ name: String, _ phases: [Phase]) {
        self.name = name
        self.phases = phases
    }

    package var phaseCount: Int { phases.count }

    /// All programs.
    package static let all =
        order + failures + merges + foreignKeys + schemaChanges + definitions + accesses + processes

    /// Runs one phase.
    ///
    /// - Parameters:
    ///   - phase: The index of the phase.
    ///   - path: The path of the database.
    ///   - usesPool: Whether the phase uses a pool rather than a queue.
    ///   - peer: The path of the program `MigrationPeer` and its first argument.
    /// - Returns: The lines of the transcript.
    package func run(_ phase: Int, path: String, usesPool: Bool, peer: [String]) -> [String] {
        var session = Session(path: path, usesPool: usesPool, peer: peer)
        session.add("phase \(phase + 1)")
        do { try phases[phase](&session) } catch { session.add(error) }
        return session.lines
    }
}

/// Runs the commands that a test sends to another process, on a file.
package func runPeer(_ command: String, path: String, usesPool: Bool) throws {
    var session = Session(path: path, usesPool: usesPool, peer: [])
    session.configuration.busyMode = .timeout(10)
    let writer = try retried { try session.open() }
    switch command {
    case "first": try Log().tables("a", "b").migrate(writer, upTo: "a")
    case "all": try Log().tables("a", "b", "c").migrate(writer)
    case "held":
        // The second migration waits for the test.
        var migrator = Log().tables("a")
        migrator.registerMigration("b") { db in
            try db.execute(sql: "CREATE TABLE b (id INTEGER PRIMARY KEY)")
            // A test reads the line from a pipe.
            print("held")
            fflush(nil)
            _ = readLine()
        }
        try migrator.migrate(writer)
    case "retried":
        try retried { try Log().tables("a", "b", "c", "d").migrate(writer) }
    default: fatalError("unknown command \(command)")
    }
    try writer.close()
    print("done")
}

/// Repeats an operation until no other process prevents it.
private func retried<T>(_ operation: () throws -> T) throws -> T {
    // The process ends after 60 s, whatever happens.
    alarm(60)
    while true {
        do { return try operation() } catch is DatabaseError { continue }
    }
}
#endif
