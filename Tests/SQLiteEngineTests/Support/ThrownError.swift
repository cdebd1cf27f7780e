import SQLiteEngine

/// Returns the database error that `body` throws.
///
/// Use this function in closures that cannot contain a nested `#expect`.
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
