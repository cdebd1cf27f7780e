import CSQLite

extension Statement {
    /// Runs the statement to completion while SQLite reads text and blobs in place.
    ///
    /// `SQLITE_STATIC` bindings refer to the caller's text and blobs. This method therefore resets
    /// the statement and clears the bindings before the memory can be released. Afterward, the
    /// arguments are stored but not bound.
    func executeBorrowing(_ arguments: StatementArguments) throws {
        if isStepped { reset() }
        if arguments.isPositional, arguments.positionalCount == parameterCount {
            try lend(arguments, keeping: arguments)
        } else {
            let values = try arguments.values(for: self)
            try lend(StatementArguments(values: values), keeping: arguments)
        }
    }

    private func lend(
        _ values: StatementArguments,
        keeping arguments: StatementArguments
    ) throws {
        storedArguments = arguments
        areArgumentsBound = false
        defer { sqlite3_clear_bindings(pointer) }
        guard let first = values.first else { return try executeAllSteps() }
        try lend(first, values.more?.values, 0)
    }

    /// Binds a value and all later values, and then executes the statement.
    ///
    /// - Parameters:
    ///   - value: The value of the parameter at `position + 1`.
    ///   - others: The values of all parameters except the first.
    ///   - position: The number of preceding parameters.
    /// - Throws: An error from the binding or the execution.
    private func lend(
        _ value: DatabaseValue,
        _ others: [DatabaseValue]?,
        _ position: Int
    ) throws {
        let index = CInt(position + 1)
        switch value.storage {
        case .string(var text):
            try text.withUTF8 { bytes in
                guard let start = bytes.baseAddress else {
                    return try proceed(value.bind(to: pointer, at: index), others, position)
                }
                let code = start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                    sqlite3_bind_text64(
                        pointer,
                        index,
                        $0,
                        UInt64(bytes.count),
                        nil,
                        UInt8(SQLITE_UTF8)
                    )
                }
                try proceed(code, others, position)
            }
        case .blob(let data) where !data.isEmpty:
            try data.withUnsafeBytes { bytes in
                let code = sqlite3_bind_blob64(
                    pointer,
                    index,
                    bytes.baseAddress,
                    UInt64(bytes.count),
                    nil
                )
                try proceed(code, others, position)
            }
        default:
            try proceed(value.bind(to: pointer, at: index), others, position)
        }
    }

    @inline(__always)
    private func proceed(_ code: CInt, _ others: [DatabaseValue]?, _ position: Int) throws {
        guard code == SQLITE_OK else { throw bindingError(code, storedArguments) }
        guard let others, position < others.count else { return try executeAllSteps() }
        try lend(others[position], others, position + 1)
    }
}
