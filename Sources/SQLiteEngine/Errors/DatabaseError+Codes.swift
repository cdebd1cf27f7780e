extension DatabaseError {
    /// The result codes, for patterns such as `catch DatabaseError.SQLITE_CONSTRAINT`.
    public static subscript(
        dynamicMember code: KeyPath<ResultCode.Type, ResultCode>
    ) -> ResultCode {
        ResultCode.self[keyPath: code]
    }

    /// Returns an error for a call that the library does not support.
    static func misuse(_ message: String, sql: String? = nil) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: message, sql: sql)
    }
}
