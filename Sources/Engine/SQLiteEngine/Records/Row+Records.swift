import Foundation

extension Row {
    /// The value of a column as `Int64`, `Double`, `String`, or `Data`.
    ///
    /// The result is `nil` if the value is `NULL` or the column does not exist.
    public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
        self[column.name]
    }

    /// Returns the first value that is not `NULL`, ignoring columns that do not exist.
    public func coalesce<T: DatabaseValueConvertible>(
        _ columns: some Collection<any ColumnExpression>
    ) -> T? {
        coalesce(columns.map { $0.name })
    }

    /// Calls `body` with the bytes of a column, which are valid only during the call.
    ///
    /// The bytes are `nil` if the value is `NULL` or the column does not exist.
    public func withUnsafeData<T>(
        at column: some ColumnExpression,
        _ body: (Data?) throws -> T
    ) throws -> T {
        try withUnsafeData(named: column.name, body)
    }

    /// The record in a scope.
    ///
    /// It is a fatal error if the record cannot be created.
    public subscript<Record: FetchableRecord>(_ scope: String) -> Record {
        do {
            guard let row = scopesTree[scope] else {
                fatalError("no scope is named \(String(reflecting: scope)) in \(debugDescription)")
            }
            return try Record(row: row)
        } catch {
            fatalError("\(error)")
        }
    }

    /// The record in a scope, or `nil` if the scope is missing or contains only `NULL` values.
    ///
    /// It is a fatal error if the record cannot be created.
    public subscript<Record: FetchableRecord>(_ scope: String) -> Record? {
        guard let row = scopesTree[scope], row.containsNonNullValue else { return nil }
        do {
            return try Record(row: row)
        } catch {
            fatalError("\(error)")
        }
    }
}

extension Row {
    /// The value of a column.
    ///
    /// It is a fatal error if the value is missing or cannot be converted.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ column: some ColumnExpression) -> Value {
        self[column.name]
    }

    /// Returns the value of a column.
    ///
    /// - Throws: A ``RowDecodingError`` if the value is missing or cannot be converted.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self,
        forColumn column: some ColumnExpression
    ) throws -> Value {
        try decode(type, forColumn: column.name)
    }
}

extension Row {
    /// The value of a column.
    ///
    /// It is a fatal error if the value is missing or cannot be converted.
    @inlinable
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ column: some ColumnExpression
    ) -> Value {
        self[column.name]
    }

    /// Returns the value of a column.
    ///
    /// - Throws: A ``RowDecodingError`` if the value is missing or cannot be converted.
    @inlinable
    public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self,
        forColumn column: some ColumnExpression
    ) throws -> Value {
        try decode(type, forColumn: column.name)
    }
}

extension Row {
    /// Decodes a column with the strategy for `type`, or returns `nil` if `type` has no strategy.
    func decodeWithStrategy<T>(
        _ type: T.Type,
        atUncheckedIndex index: Int,
        for recordType: any FetchableRecord.Type
    ) throws -> T? {
        let value: T?
        if T.self == Date.self {
            value = recordType.databaseDateDecodingStrategy(for: layout.names[index])
                .decode(databaseValue(atUncheckedIndex: index))
                .map { exactCast($0, as: type) }
        } else if T.self == Data.self {
            value = recordType.databaseDataDecodingStrategy(for: layout.names[index])
                .decode(databaseValue(atUncheckedIndex: index))
                .map { exactCast($0, as: type) }
        } else {
            return nil
        }
        guard let value else {
            throw RowDecodingError.valueMismatch(type, row: self, index: index)
        }
        return value
    }
}

extension Row {
    /// Decodes a value from the whole row, as a record if `type` is a record type.
    ///
    /// The columns of the enclosing row retain the decoder.
    func decodeRecord<T: Decodable>(
        _ type: T.Type,
        within columns: RowColumns,
        codingPath: [any CodingKey],
        missing: (() -> RowDecodingError)? = nil
    ) throws -> T {
        if let record = type as? any FetchableRecord.Type {
            return try makeRecord(record, as: type)
        }
        return try T(
            from: columns.retain(
                RecordDecoder(
                    row: newInstance,
                    recordType: columns.recordType,
                    codingPath: codingPath,
                    missing: missing
                )
            )
        )
    }

    private func makeRecord<Record: FetchableRecord, T>(
        _ record: Record.Type,
        as type: T.Type
    ) throws -> T {
        // Use a separate row object to preserve the current row's decoder.
        exactCast(try record.init(row: newInstance), as: type)
    }
}
