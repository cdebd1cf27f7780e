import CSQLite

// The subscripts treat a missing or inconvertible value as a fatal error. The `decode` methods
// throw an error instead. Each method exists twice; see Values+Fetching.swift.

extension Row {
    /// The value of a column as `Int64`, `Double`, `String`, or `Data`, or `nil` for `NULL`.
    public subscript(_ index: Int) -> (any DatabaseValueConvertible)? {
        checkIndex(index)
        return databaseValue(atUncheckedIndex: index).storage.value
    }

    /// The value of a column as `Int64`, `Double`, `String`, or `Data`.
    ///
    /// The result is `nil` if the value is `NULL` or the column does not exist.
    public subscript(_ columnName: String) -> (any DatabaseValueConvertible)? {
        index(ofColumn: columnName).flatMap { databaseValue(atUncheckedIndex: $0).storage.value }
    }

    /// Returns the first value that is not `NULL`, ignoring columns that do not exist.
    public func coalesce<T: DatabaseValueConvertible>(_ columns: some Collection<String>) -> T? {
        for index in columns.compactMap(index(ofColumn:)) {
            do {
                if let value = try convert(T?.self, atUncheckedIndex: index) { return value }
            } catch {
                fatalError("\(error)")
            }
        }
        return nil
    }
}

extension Row {
    /// The value of a column.
    ///
    /// It is a fatal error if the value cannot be converted.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
        do {
            return try decode(Value.self, atIndex: index)
        } catch {
            fatalError("\(error)")
        }
    }

    /// The value of a column.
    ///
    /// It is a fatal error if the value is missing or cannot be converted.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
        do {
            return try decode(Value.self, forColumn: columnName)
        } catch {
            fatalError("\(error)")
        }
    }

    /// Returns the value of a column.
    ///
    /// - Throws: A ``RowDecodingError`` if the value cannot be converted.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self,
        atIndex index: Int
    ) throws -> Value {
        checkIndex(index)
        return try convert(type, atUncheckedIndex: index)
    }

    /// Returns the value of the column with the given name, ignoring case.
    ///
    /// - Throws: A ``RowDecodingError`` if the value is missing or cannot be converted.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self,
        forColumn columnName: String
    ) throws -> Value {
        guard let index = index(ofColumn: columnName) else {
            if let value = Value.fromMissingColumn() { return value }
            throw RowDecodingError.columnNotFound(columnName, row: self)
        }
        return try convert(type, atUncheckedIndex: index)
    }
}

extension Row {
    /// The value of a column.
    ///
    /// It is a fatal error if the value cannot be converted.
    @inlinable
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ index: Int)
        -> Value
    {
        do {
            return try decode(Value.self, atIndex: index)
        } catch {
            fatalError("\(error)")
        }
    }

    /// The value of a column.
    ///
    /// It is a fatal error if the value is missing or cannot be converted.
    @inlinable
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ columnName: String
    ) -> Value {
        do {
            return try decode(Value.self, forColumn: columnName)
        } catch {
            fatalError("\(error)")
        }
    }

    /// Returns the value of a column.
    ///
    /// - Throws: A ``RowDecodingError`` if the value cannot be converted.
    @inlinable
    public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self,
        atIndex index: Int
    ) throws -> Value {
        checkIndex(index)
        return try decode(type, atUncheckedIndex: index)
    }

    /// Returns the value of the column with the given name, ignoring case.
    ///
    /// - Throws: A ``RowDecodingError`` if the value is missing or cannot be converted.
    @inlinable
    public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self,
        forColumn columnName: String
    ) throws -> Value {
        guard let index = index(ofColumn: columnName) else {
            if let value = Value.fromMissingColumn() { return value }
            throw RowDecodingError.columnNotFound(columnName, row: self)
        }
        return try decode(type, atUncheckedIndex: index)
    }
}

extension Row {
    /// Returns the value that the type creates from a ``DatabaseValue``.
    ///
    /// Unlike SQLite, this method does not convert text to a number if the text is not numeric.
    @usableFromInline
    func convert<Value: DatabaseValueConvertible>(
        _ type: Value.Type,
        atUncheckedIndex index: Int
    ) throws -> Value {
        let value = databaseValue(atUncheckedIndex: index)
        if let value = Value.fromDatabaseValue(value) { return value }
        throw RowDecodingError.valueMismatch(type, row: self, index: index)
    }

    @inlinable
    func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type,
        atUncheckedIndex index: Int
    ) throws -> Value {
        if let sqliteStatement {
            let source = source(ofUncheckedIndex: index)
            if let value = Value.fromColumn(sqliteStatement, at: source) {
                return value
            }
        } else if let value = Value.fromDatabaseValue(databaseValue(atUncheckedIndex: index)) {
            return value
        }
        throw RowDecodingError.valueMismatch(type, row: self, index: index)
    }
}

extension Row {
    /// The rows that row adapters create from parts of this row, by name.
    public var scopes: ScopesView { ScopesView(row: self) }

    /// The scopes, including nested scopes.
    public var scopesTree: ScopesTreeView { ScopesTreeView(scopes: scopes) }

    /// The row without its scopes.
    public var unscoped: Row {
        layout.scopes.isEmpty ? self : adapted(to: layout.with(scopes: [:]))
    }

    /// The row as returned by the statement, without adapters.
    public var unadapted: Row { adapted(to: layout.root) }

    /// The rows that row adapters create from parts of one row.
    public struct ScopesView: Collection {
        private let row: Row
        private let layouts: [String: RowLayout]
        private let sorted: [(key: String, value: RowLayout)]

        init(row: Row) {
            self.row = row
            layouts = row.layout.scopes
            sorted = layouts.sorted { $0.key < $1.key }
        }

        /// The names of the scopes.
        public var names: Dictionary<String, RowLayout>.Keys { layouts.keys }

        /// The row of a scope, or `nil` if no scope has this name.
        public subscript(name: String) -> Row? { layouts[name].map(row.adapted(to:)) }

        /// The position of the first scope.
        public var startIndex: Int { 0 }

        /// The position after the last scope.
        public var endIndex: Int { sorted.count }

        /// Returns the position of the next scope.
        public func index(after i: Int) -> Int { i + 1 }

        /// The name and the row of a scope.
        ///
        /// The scopes are sorted by name.
        public subscript(position: Int) -> (name: String, row: Row) {
            let (name, layout) = sorted[position]
            return (name, row.adapted(to: layout))
        }
    }

    /// The scopes of a row, including nested scopes.
    public struct ScopesTreeView {
        let scopes: ScopesView

        /// The names of all scopes.
        public var names: Set<String> {
            scopes.reduce(into: []) { names, scope in
                names.insert(scope.name)
                names.formUnion(scope.row.scopesTree.names)
            }
        }

        /// The row of the nearest scope with the given name, or `nil` if there is none.
        public subscript(name: String) -> Row? {
            var candidates = Array(scopes)
            while !candidates.isEmpty {
                if let scope = candidates.first(where: { $0.name == name }) { return scope.row }
                candidates = candidates.flatMap { Array($0.row.scopes) }
            }
            return nil
        }
    }
}
