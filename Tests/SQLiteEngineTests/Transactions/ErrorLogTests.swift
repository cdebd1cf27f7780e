import Testing

@testable import SQLiteEngine

struct ErrorLogTests {
    @Test func errorsAreLogged() async {
        // The log function belongs to the process and must be set before the first connection is
        // opened.
        await #expect(processExitsWith: .success) {
            let lines = CollectedLines()
            Database.logError = { code, message in lines.append("\(code.rawValue) \(message)") }
            let queue = try DatabaseQueue()
            _ = try? queue.inDatabase { db in try db.execute(sql: "SELECT missing") }
            precondition(lines.all.contains { $0.contains("missing") })
            let statement = try queue.inDatabase { db in try db.makeStatement(sql: "SELECT 1") }
            withExtendedLifetime(statement) { _ = try? queue.close() }
            precondition(lines.all.last == "5 unfinalized statement: SELECT 1")
        }
    }
}
