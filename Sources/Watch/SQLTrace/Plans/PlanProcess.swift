import CSQLite
import Foundation
import SQLiteWatch
import Telemetry

#if os(Linux)
import Glibc

/// The process that plans the statements of traced programs.
///
/// The process never opens the programs' database through SQLite. It reads the schema page by page,
/// creates the tables in an empty private database, and prepares the statements there. A plan may
/// differ from the program's plan, which may depend on statistics (`ANALYZE`), functions, and
/// extensions.
///
/// A schema's text is as untrusted as a library's code. The process therefore drops all privileges
/// after it reads the file and before SQLite parses the text. An ordinary user has none.
public enum StatementPlanning {
    private static let limits = ProcessSandbox.Limits(
        processorSeconds: 2,
        seconds: 5,
        memory: 1 << 29
    )

    /// The maximum amount of memory for SQLite, in bytes.
    private static let memoryLimit: Int64 = 1 << 27
    /// The time for the search for indexes, in nanoseconds.
    private static let searchTime: UInt64 = 500_000_000

    /// Answers a request from standard input.
    ///
    /// A tracing program calls this method in the command that it passes to a session.
    public static func run() {
        let input = FileHandle.standardInput.readDataToEndOfFile()
        ProcessSandbox.limit(to: limits)
        _ = sqlite3_hard_heap_limit64(memoryLimit)
        guard let request = try? JSONDecoder().decode(PlanRequest.self, from: input),
            let schema = SchemaReader.statements(path: request.path),
            ProcessSandbox.dropPrivileges(closingFrom: STDERR_FILENO + 1),
            let response = response(to: request.statements, schema: schema),
            let output = try? JSONEncoder().encode(response)
        else { return }
        _ = DescriptorFile.write([UInt8](output), to: STDOUT_FILENO)
    }

    /// Plans statements for a schema, or returns `nil` if no private database can be created.
    static func response(to statements: [String], schema: [String]) -> PlanResponse? {
        PrivateSchema(schema).map { database in
            let plans = statements.map(database.plan)
            let deadline = monotonicNanoseconds() + searchTime
            let indexes = zip(statements, plans).map { sql, plan -> String? in
                guard IndexSearch.isNeeded(for: plan), monotonicNanoseconds() < deadline else {
                    return nil
                }
                return database.proposals(for: sql).first
                    .map { $0.map(\.text).joined(separator: " and ") }
            }
            return PlanResponse(
                names: database.names,
                plans: plans,
                indexes: indexes,
                keyTables: database.keyTables
            )
        }
    }
}
#endif

/// The response from the process that plans statements.
struct PlanResponse: Codable, Equatable {
    /// The names in the schema, in lowercase.
    var names: [String] = []
    /// The steps of each statement's plan, or an empty array for a statement that could not be
    /// prepared.
    var plans: [[String]] = []
    /// An index for each statement that would scan or sort less with it, such as
    /// `orders (user, state)`.
    var indexes: [String?] = []
    /// The tables between which the schema has foreign keys, in lowercase.
    var keyTables: [String] = []
}

struct PlanRequest: Codable, Equatable {
    /// The path of the database file with the schema.
    var path: String
    var statements: [String]
}
