import CSQLite

extension Statement {
    /// The arguments for subsequent executions.
    ///
    /// It is a fatal error to set arguments that do not match the statement's parameters. To handle
    /// a mismatch as an error, use ``setArguments(_:)``.
    public var arguments: StatementArguments {
        get { storedArguments }
        set {
            do {
                try setArguments(newValue)
            } catch {
                fatalError("\(error)")
            }
        }
    }

    /// Sets the arguments for subsequent executions.
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments do not match the parameters. The statement then
    ///   keeps the previous arguments.
    public func setArguments(_ arguments: StatementArguments) throws {
        try assign(arguments)
    }

    /// Binds and stores the arguments; see ``setArguments(_:)``.
    @inline(__always)
    func assign(_ arguments: StatementArguments) throws {
        if isStepped { reset() }
        if parameterCount == 1, arguments.more == nil, let value = arguments.first {
            let code = value.bind(to: pointer, at: 1)
            guard code == SQLITE_OK else { throw bindingError(code, arguments: arguments) }
        } else if arguments.isPositional, arguments.positionalCount == parameterCount {
            try bindAll(arguments)
        } else {
            try bindAll(StatementArguments(values: try arguments.values(for: self)))
        }
        storedArguments = arguments
        areArgumentsBound = true
    }

    /// Throws `SQLITE_MISUSE` if the arguments do not match the statement's parameters.
    public func validateArguments(_ arguments: StatementArguments) throws {
        _ = try arguments.values(for: self)
    }

    /// Sets the arguments for subsequent executions without validating them.
    ///
    /// This method sets parameters without a value to `NULL`, and ignores values without a
    /// parameter.
    public func setUncheckedArguments(_ arguments: StatementArguments) {
        if isStepped { reset() }
        sqlite3_clear_bindings(pointer)
        var values = arguments.values.makeIterator()
        for (index, name) in parameterNames.enumerated() {
            let value = name.flatMap { arguments.named[$0] } ?? values.next()
            guard let value else { continue }
            let code = value.bind(to: pointer, at: CInt(index + 1))
            guard code == SQLITE_OK else {
                fatalError("\(bindingError(code, arguments: arguments))")
            }
        }
        storedArguments = arguments
        areArgumentsBound = true
    }

    /// Binds a value to every parameter, replacing all previous bindings.
    private func bindAll(_ arguments: StatementArguments) throws {
        guard let first = arguments.first else { return }
        var code = first.bind(to: pointer, at: 1)
        if code == SQLITE_OK, let others = arguments.more?.values {
            var index: CInt = 2
            for value in others {
                code = value.bind(to: pointer, at: index)
                guard code == SQLITE_OK else { break }
                index += 1
            }
        }
        guard code == SQLITE_OK else {
            // Some parameters have new values and others still have old values. Bind all parameters
            // again before the next execution.
            areArgumentsBound = false
            throw bindingError(code, arguments: arguments)
        }
    }

    func bindingError(_ code: CInt, arguments: StatementArguments) -> DatabaseError {
        let code = ResultCode(rawValue: code)
        return database.makeError(
            code,
            message: database.lastErrorMessage,
            sql: sql,
            arguments: arguments
        )
    }

    func countMismatch(_ arguments: StatementArguments) -> DatabaseError {
        DatabaseError.misuse(
            "wrong number of statement arguments: \(arguments.positionalCount)",
            sql: sql
        )
    }
}

extension StatementArguments {
    /// Returns the values of a statement's parameters, in order.
    ///
    /// - Throws: `SQLITE_MISUSE` if a parameter has no value, or if there are too many values.
    func values(for statement: Statement) throws -> [DatabaseValue] {
        var rest = self
        let values = try rest.removeValues(for: statement)
        guard rest.first == nil else { throw statement.countMismatch(self) }
        return values
    }

    /// Removes and returns the values of a statement's parameters, in order.
    ///
    /// - Throws: `SQLITE_MISUSE` if a parameter has no value.
    mutating func removeValues(for statement: Statement) throws -> [DatabaseValue] {
        let positional = values
        var next = 0
        let taken = try statement.parameterNames.map { name in
            if let name, let value = named[name] { return value }
            guard next < positional.count else {
                guard let name else { throw statement.countMismatch(self) }
                throw DatabaseError.misuse(missingArgumentMessage(name), sql: statement.sql)
            }
            defer { next += 1 }
            return positional[next]
        }
        self = StatementArguments(values: Array(positional[next...]), names: named)
        return taken
    }

    private func missingArgumentMessage(_ name: String) -> String {
        let message = "missing statement argument: \(name)"
        guard !named.isEmpty else { return message }
        let names = named.keys.sorted().map { String(reflecting: $0) }.joined(separator: ", ")
        return "\(message); the named arguments are \(names)"
    }
}

extension Statement {
    /// Runs the statement to completion while SQLite reads text and blobs in place.
    ///
    /// `SQLITE_STATIC` bindings refer to the caller's text and blobs. This method therefore resets
    /// the statement and clears the bindings before the memory can be released. Afterward, the
    /// arguments are stored but not bound.
    func executeBorrowing(_ arguments: StatementArguments) throws {
        if isStepped { reset() }
        if arguments.isPositional, arguments.positionalCount == parameterCount {
            try bindBorrowed(arguments, keeping: arguments)
        } else {
            let values = try arguments.values(for: self)
            try bindBorrowed(StatementArguments(values: values), keeping: arguments)
        }
    }

    private func bindBorrowed(
        _ values: StatementArguments,
        keeping arguments: StatementArguments
    ) throws {
        storedArguments = arguments
        areArgumentsBound = false
        defer { sqlite3_clear_bindings(pointer) }
        guard let first = values.first else { return try executeAllSteps() }
        try bindBorrowed(first, others: values.more?.values, at: 0)
    }

    /// Binds a value and all subsequent values, and then executes the statement.
    ///
    /// - Parameters:
    ///   - value: The value of the parameter at `position + 1`.
    ///   - others: The values of all parameters except the first.
    ///   - position: The number of preceding parameters.
    /// - Throws: An error from the binding or the execution.
    private func bindBorrowed(
        _ value: DatabaseValue,
        others: [DatabaseValue]?,
        at position: Int
    ) throws {
        let index = CInt(position + 1)
        switch value.storage {
        case .string(var text):
            try text.withUTF8 { bytes in
                guard let start = bytes.baseAddress else {
                    return try continueBinding(
                        value.bind(to: pointer, at: index),
                        others: others,
                        at: position
                    )
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
                try continueBinding(code, others: others, at: position)
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
                try continueBinding(code, others: others, at: position)
            }
        default:
            try continueBinding(value.bind(to: pointer, at: index), others: others, at: position)
        }
    }

    @inline(__always)
    private func continueBinding(_ code: CInt, others: [DatabaseValue]?, at position: Int) throws {
        guard code == SQLITE_OK else { throw bindingError(code, arguments: storedArguments) }
        guard let others, position < others.count else { return try executeAllSteps() }
        try bindBorrowed(others[position], others: others, at: position + 1)
    }
}
