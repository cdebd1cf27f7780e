import SQLiteEngine

/// The database error that `body` throws: for where `#expect` does not nest.
func databaseError(of body: () throws -> Void) -> DatabaseError? {
    do {
        try body()
        return nil
    } catch {
        return error as? DatabaseError
    }
}

/// An error for closures to throw.
struct ThrownError: Error {}
