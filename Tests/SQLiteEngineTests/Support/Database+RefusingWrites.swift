@testable import SQLiteEngine

extension Database {
    /// Runs a closure and refuses its write statements.
    func refusingWrites(_ body: () throws -> Void) throws {
        readOnlyDepth += 1
        defer { readOnlyDepth -= 1 }
        try body()
    }
}
