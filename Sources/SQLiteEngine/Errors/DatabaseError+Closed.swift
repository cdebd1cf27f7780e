extension DatabaseError {
    static func connectionIsClosed() -> DatabaseError {
        DatabaseError.misuse("Connection is closed")
    }
}
