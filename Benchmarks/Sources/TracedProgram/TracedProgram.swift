/// A program that executes a long query, a point read and an insert through a connection pool.
///
/// Each method returns the time of its statement, without the time of the pool.
protocol TracedProgram {
    func runLong() throws -> Duration
    func runPoint(_ id: Int) throws -> Duration
    func insert(_ value: Int) throws -> Duration
    /// Attempts inserts while another connection holds the write lock, and returns whether each
    /// attempt failed with `SQLITE_BUSY`.
    func insertWhileLocked(attempts: Int) throws -> [Bool]
}

struct StatementTexts {
    var long: String
    var point: String
    var insert: String
}

/// The executions of the three statements.
struct StatementCounts {
    struct Count {
        var calls = 0
        var seconds = 0.0
        var busy = 0

        mutating func add(_ duration: Duration) {
            calls += 1
            seconds += duration / .seconds(1)
        }

        var json: String { "[\(calls), \(seconds), \(busy)]" }
    }

    var long = Count()
    var point = Count()
    var insert = Count()

    var json: String {
        #"{"long": \#(long.json), "point": \#(point.json), "insert": \#(insert.json)}"#
    }
}
