import CSQLite
import Foundation
import SQLiteWatch

#if os(Linux)
/// The process that plans statements of traced programs.
///
/// It never opens the programs' database through SQLite: it reads the schema page by page, creates
/// its tables in an empty private database, and prepares the statements there. A plan may differ
/// from the program's, which may use statistics (`ANALYZE`), functions and extensions.
public enum StatementPlanning {
    /// Answers the request on standard input.
    ///
    /// A program that traces calls this from the command that it passes to a session.
    public static func run() {
        let input = FileHandle.standardInput.readDataToEndOfFile()
        guard let request = try? JSONDecoder().decode(PlanRequest.self, from: input),
            let schema = SchemaReader.statements(path: request.path),
            let answer = answer(request.statements, schema: schema),
            let output = try? JSONEncoder().encode(answer)
        else { return }
        FileHandle.standardOutput.write(output)
    }

    /// Plans statements over a schema; nil when no private database can be created.
    static func answer(_ statements: [String], schema: [String]) -> PlanAnswer? {
        var connection: OpaquePointer?
        guard sqlite3_open(":memory:", &connection) == SQLITE_OK else {
            sqlite3_close(connection)
            return nil
        }
        defer { sqlite3_close_v2(connection) }
        // What needs an extension, or a function of the program, is left out.
        for statement in schema { sqlite3_exec(connection, statement, nil, nil, nil) }
        var answer = PlanAnswer()
        let names =
            "SELECT lower(name) FROM sqlite_schema UNION SELECT lower(c.name) FROM sqlite_schema AS s, "
            + "pragma_table_info(s.name) AS c WHERE s.type = 'table'"
        answer.names = rows(names, connection, column: 0) ?? []
        answer.plans = statements.map {
            rows("EXPLAIN QUERY PLAN " + $0, connection, column: 3) ?? []
        }
        return answer
    }

    private static func rows(
        _ text: String,
        _ connection: OpaquePointer?,
        column: Int32
    ) -> [String]? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(connection, text, -1, &statement, nil) == SQLITE_OK else {
            return nil
        }
        defer { sqlite3_finalize(statement) }
        var rows: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW, rows.count < 10_000 {
            rows.append(sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "")
        }
        return rows
    }
}
#endif
