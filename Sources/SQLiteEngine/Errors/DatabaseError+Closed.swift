extension DatabaseError {
    /// The error of an access to a database that was closed.
    static func connectionIsClosed() -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "Connection is closed")
    }
}
