import CSQLite

extension Statement {
    /// Calls `body` while SQLite reads the arguments' texts and blobs where they are.
    ///
    /// The statement is reset and its bindings are cleared before their memory may go
    /// (`SQLITE_STATIC`), so this serves executions that are over when `body` returns. Afterwards
    /// the arguments are known, but not bound.
    func withBorrowedArguments(
        _ arguments: StatementArguments,
        _ body: () throws -> Void
    ) throws {
        var matching = arguments
        if !arguments.named.isEmpty || arguments.positionalCount != parameterCount {
            matching = StatementArguments(try arguments.values(for: self))
        }
        guard let first = matching.first else { return try body() }
        if isStepped { reset() }
        storedArguments = arguments
        areArgumentsBound = false
        defer { sqlite3_clear_bindings(sqliteStatement) }
        try lend(first, matching.others[...], at: 1, body)
    }

    private func lend(
        _ value: DatabaseValue,
        _ others: ArraySlice<DatabaseValue>,
        at index: CInt,
        _ body: () throws -> Void
    ) throws {
        func proceed(_ code: CInt) throws {
            guard code == SQLITE_OK else { throw bindingError(code, storedArguments) }
            guard let next = others.first else { return try body() }
            try lend(next, others.dropFirst(), at: index + 1, body)
        }
        switch value.storage {
        case .string(var text):
            try text.withUTF8 { bytes in
                guard let start = bytes.baseAddress else {
                    return try proceed(value.bind(to: sqliteStatement, at: index))
                }
                let code = start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                    sqlite3_bind_text64(
                        sqliteStatement,
                        index,
                        $0,
                        UInt64(bytes.count),
                        nil,
                        UInt8(SQLITE_UTF8)
                    )
                }
                try proceed(code)
            }
        case .blob(let data) where !data.isEmpty:
            try data.withUnsafeBytes { bytes in
                try proceed(
                    sqlite3_bind_blob64(
                        sqliteStatement,
                        index,
                        bytes.baseAddress,
                        UInt64(bytes.count),
                        nil
                    )
                )
            }
        default:
            try proceed(value.bind(to: sqliteStatement, at: index))
        }
    }
}
