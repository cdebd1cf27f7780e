@testable import SQLiteEngine

extension Database {
    /// Runs a closure in which statements that write throw errors.
    func refusingWrites(_ body: () throws -> Void) throws {
        readOnlyDepth += 1
        defer { readOnlyDepth -= 1 }
        try body()
    }
}
