/// A program that executes a long query, a point read, and an insert through a connection pool.
///
/// A returned duration is that of the statement, without the time that the pool needs.
protocol TracedProgram {
    func runLongQuery() throws -> Duration
    func runPointRead(_ id: Int) throws -> Duration
    func insert(_ value: Int) throws -> Duration
    /// Attempts inserts while another connection holds the write lock, and returns whether each
    /// attempt failed with `SQLITE_BUSY`.
    func insertWhileLocked(attempts: Int) throws -> [Bool]
}

/// The SQL of the three statements.
struct StatementTexts {
    var longQuery: String
    var pointRead: String
    var insert: String
}

/// The number of executions, the total time, and the `SQLITE_BUSY` errors of the three statements.
struct StatementCounts {
    struct Count {
        var calls = 0
        var seconds = 0.0
        var busyErrors = 0

        mutating func add(_ duration: Duration) {
            calls += 1
            seconds += duration / .seconds(1)
        }

        var json: String { "[\(calls), \(seconds), \(busyErrors)]" }
    }

    var longQuery = Count()
    var pointRead = Count()
    var insert = Count()

    var json: String {
        #"{"long": \#(longQuery.json), "point": \#(pointRead.json), "insert": \#(insert.json)}"#
    }
}
