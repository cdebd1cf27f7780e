extension DatabaseError {
    /// Returns the error for an access to a closed database.
    static func connectionIsClosed() -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "Connection is closed")
    }
}
