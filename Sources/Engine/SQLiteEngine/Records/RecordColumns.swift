import CSQLite
import Foundation

/// A keyed container that decodes values from the columns of a row.
struct RecordColumns<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// The columns of the row.
    ///
    /// `RowColumns` is not generic, so access to its members does not depend on the key's type.
    ///
    /// The columns are not reference-counted, because `KeyedDecodingContainer` copies this
    /// structure for each value. The decoder owns the columns, and its caller retains the decoder.
    /// A container must not outlive `init(from:)`. Using it after the columns are deallocated is a
    /// fatal error.
    private let borrowed: BorrowedColumns

    /// The columns for keys of this type, which ``columns`` retains.
    private let keyColumns: Unmanaged<KeyColumns>

    @inline(__always)
    private var columns: RowColumns { borrowed.columns }

    init(_ columns: RowColumns) {
        borrowed = columns.borrowed
        keyColumns = .passUnretained(columns.columns(forKeysOf: Key.self))
    }

    var codingPath: [any CodingKey] { columns.codingPath }

    var allKeys: [Key] {
        var names = Set(columns.keys)
        names.formUnion(columns.row.scopesTree.names)
        return names.sorted().compactMap(Key.init(stringValue:))
    }

    func contains(_ key: Key) -> Bool {
        column(key).exists || columns.row.scopesTree[key.stringValue] != nil
    }

    func decodeNil(forKey key: Key) -> Bool {
        let column = column(key)
        if column.exists { return columns.row.hasNull(atIndex: column.index) }
        return columns.row.scopesTree[key.stringValue]?.containsNonNullValue != true
    }

    /// Returns the column for a key.
    ///
    /// Coding keys that the compiler synthesizes are enumeration cases without associated values,
    /// and usually occupy at most one byte. This byte identifies the key. Larger keys are looked up
    /// by their string values.
    @inline(__always)
    private func column(_ key: Key) -> ResolvedColumn {
        guard MemoryLayout<Key>.size <= 1 else { return columns.column(named: key.stringValue) }
        let byte =
            MemoryLayout<Key>.size == 0 ? 0 : unsafeBitCast(key, to: UInt8.self)
        // Check first that the row's columns, which retain the columns for keys, still exist.
        let columns = columns
        return keyColumns._withUnsafeGuaranteedRef { known in
            let column = known.byByte[Int(byte)]
            if column.isKnown { return column }
            return known.resolve(key.stringValue, byte: byte, in: columns)
        }
    }

    // MARK: Column types

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try read(type, key: key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try read(type, key: key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try read(type, key: key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try read(type, key: key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try read(type, key: key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try read(type, key: key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try read(type, key: key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try read(type, key: key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try read(type, key: key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try read(type, key: key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try read(type, key: key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try read(type, key: key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try read(type, key: key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try read(type, key: key) }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try readIfPresent(type, key: key)
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try readIfPresent(type, key: key)
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try readIfPresent(type, key: key)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try readIfPresent(type, key: key)
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try readIfPresent(type, key: key)
    }

    @inline(__always)
    private func read<Value: DatabaseValueConvertible>(
        _ type: Value.Type,
        key: Key
    ) throws -> Value {
        try read(type, key: key, column: column(key))
    }

    @inline(__always)
    private func read<Value: DatabaseValueConvertible>(
        _ type: Value.Type,
        key: Key,
        column: ResolvedColumn
    ) throws -> Value {
        if column.exists, let statement = columns.statement,
            let value = Value.fromColumn(statement, at: column.source)
        {
            return value
        }
        return try readSlowPath(type, key: key, column: column)
    }

    @inline(__always)
    private func readIfPresent<Value: DatabaseValueConvertible>(
        _ type: Value.Type,
        key: Key
    ) throws -> Value? {
        try readIfPresent(type, key: key, column: column(key))
    }

    @inline(__always)
    private func readIfPresent<Value: DatabaseValueConvertible>(
        _ type: Value.Type,
        key: Key,
        column: ResolvedColumn
    ) throws -> Value? {
        guard column.exists else { return nil }
        if let statement = columns.statement {
            if let value = Value.fromColumn(statement, at: column.source) {
                return value
            }
            if sqlite3_column_type(statement, column.source) == SQLITE_NULL { return nil }
        }
        return try readSlowPath(Value?.self, key: key, column: column)
    }

    @inline(never)
    private func readSlowPath<Value: DatabaseValueConvertible>(
        _ type: Value.Type,
        key: Key,
        column: ResolvedColumn
    ) throws -> Value {
        if column.exists { return try columns.row.decode(type, atUncheckedIndex: column.index) }
        if let value = Value.fromMissingColumn() { return value }
        throw columns.notFound(key)
    }

    // MARK: Dates and data

    @inline(__always)
    private func readWithStrategy<Value: DatabaseValueConvertible, T>(
        _ type: Value.Type,
        key: Key,
        as result: T.Type
    ) throws -> T {
        let column = column(key)
        if columns.readsAsIs(column) || !column.exists {
            return exactCast(try read(type, key: key, column: column), as: result)
        }
        return exactCast(try decodeWithStrategy(type, column: column), as: result)
    }

    @inline(__always)
    private func readIfPresentWithStrategy<Value: DatabaseValueConvertible, T>(
        _ type: Value.Type,
        key: Key,
        as result: T.Type
    ) throws -> T? {
        let column = column(key)
        if columns.readsAsIs(column) || !column.exists {
            return try readIfPresent(type, key: key, column: column).map {
                exactCast($0, as: result)
            }
        }
        if columns.row.hasNull(atIndex: column.index) { return nil }
        return exactCast(try decodeWithStrategy(type, column: column), as: result)
    }

    @inline(never)
    private func decodeWithStrategy<Value>(
        _ type: Value.Type,
        column: ResolvedColumn
    ) throws -> Value {
        let value = try columns.row.decodeWithStrategy(
            type,
            atUncheckedIndex: column.index,
            for: columns.recordType
        )
        guard let value else {
            throw RowDecodingError.valueMismatch(type, row: columns.row, index: column.index)
        }
        return value
    }

    // MARK: All other types

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        if T.self == Date.self { return try readWithStrategy(Date.self, key: key, as: type) }
        if T.self == Data.self { return try readWithStrategy(Data.self, key: key, as: type) }
        let column = column(key)
        guard column.exists else { return try decodeWithoutColumn(type, key: key) }
        guard let value = columns.convertible(type, in: column.index) else {
            return try decodeCodable(type, key: key, at: column.index)
        }
        return try decode(value, at: column.index, as: type)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        if T.self == Date.self {
            return try readIfPresentWithStrategy(Date.self, key: key, as: type)
        }
        if T.self == Data.self {
            return try readIfPresentWithStrategy(Data.self, key: key, as: type)
        }
        let column = column(key)
        guard column.exists else {
            // A left join without a match produces a scope that contains only `NULL` values.
            guard let scope = columns.row.scopesTree[key.stringValue], scope.containsNonNullValue
            else {
                return nil
            }
            return try decodeWithoutColumn(type, key: key)
        }
        guard let value = columns.convertible(type, in: column.index) else {
            if columns.row.hasNull(atIndex: column.index) { return nil }
            return try decodeCodable(type, key: key, at: column.index)
        }
        return try decodeIfPresent(value, at: column.index, as: type)
    }

    private func decode<Value: DatabaseValueConvertible, T>(
        _ value: Value.Type,
        at index: Int,
        as type: T.Type
    ) throws -> T {
        exactCast(try columns.row.decode(value, atUncheckedIndex: index), as: type)
    }

    private func decodeIfPresent<Value: DatabaseValueConvertible, T>(
        _ value: Value.Type,
        at index: Int,
        as type: T.Type
    ) throws -> T? {
        try columns.row.decode(Value?.self, atUncheckedIndex: index).map { exactCast($0, as: type) }
    }

    private func decodeCodable<T: Decodable>(
        _ type: T.Type,
        key: Key,
        at index: Int
    ) throws -> T {
        let columns = columns
        let decoder = ColumnDecoder(
            row: columns.row,
            index: index,
            recordType: columns.recordType,
            codingPath: codingPath + [key]
        )
        return try decoder.decodeValue(type) { try decodeJSON(type, key: key, at: index) }
    }

    private func decodeJSON<T: Decodable>(_ type: T.Type, key: Key, at index: Int) throws -> T {
        let columns = columns
        return try columns.row.withUnsafeData(atIndex: index) { data in
            guard let data else {
                throw RowDecodingError.valueMismatch(type, row: columns.row, index: index)
            }
            return try columns.recordType.databaseJSONDecoder(for: key.stringValue)
                .decode(type, from: data)
        }
    }

    /// Decodes a value from a scope, or a nested record from the same row.
    private func decodeWithoutColumn<T: Decodable>(_ type: T.Type, key: Key) throws -> T {
        let path = codingPath + [key]
        if let scope = columns.row.scopesTree[key.stringValue] {
            return try scope.decodeRecord(type, within: columns, codingPath: path)
        }
        if let value = type as? any DatabaseValueConvertible.Type {
            return try decodeMissing(value, key: key, as: type)
        }
        // For example, decode `struct BookInfo { var book: Book; var author: Author }` from a row
        // with the columns of a book and a scope `author`. Only one key can be decoded from the row
        // itself.
        let columns = columns
        let keyColumns = keyColumns.takeUnretainedValue()
        guard let rootKey = keyColumns.rootKey else {
            columns.setRootKey(key.stringValue, of: keyColumns)
            return try columns.row.decodeRecord(
                type,
                within: columns,
                codingPath: path,
                missing: { [unowned columns] in columns.notFound(key) }
            )
        }
        let names = [rootKey, key.stringValue].sorted()
        throw DecodingError.keyNotFound(
            key,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription: "no column or scope is named \(names.joined(separator: " or "))"
            )
        )
    }

    private func decodeMissing<Value: DatabaseValueConvertible, T>(
        _ value: Value.Type,
        key: Key,
        as type: T.Type
    ) throws -> T {
        if let value = Value.fromMissingColumn() { return exactCast(value, as: type) }
        throw columns.notFound(key)
    }

    // MARK: Containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let column = column(key)
        if column.exists {
            return try decodeJSON(JSONContent.self, key: key, at: column.index).decoder
                .container(keyedBy: type)
        }
        guard let scope = columns.row.scopesTree[key.stringValue] else {
            throw nestedContainerError(key, type: [String: Any].self)
        }
        return KeyedDecodingContainer(
            RecordColumns<NestedKey>(columns.nested(key, scope: scope))
        )
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        let column = column(key)
        guard column.exists else { throw nestedContainerError(key, type: [Any].self) }
        return try decodeJSON(JSONContent.self, key: key, at: column.index).decoder
            .unkeyedContainer()
    }

    private func nestedContainerError(_ key: Key, type: any Any.Type) -> DecodingError {
        DecodingError.typeMismatch(
            type,
            DecodingError.Context(
                codingPath: codingPath + [key],
                debugDescription: "a row has no column or scope \(key.stringValue)"
            )
        )
    }

    func superDecoder() -> any Decoder {
        columns.retain(
            RecordDecoder(row: columns.row, recordType: columns.recordType, codingPath: codingPath)
        )
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        let column = column(key)
        let columns = columns
        if column.exists,
            columns.row.databaseValue(atUncheckedIndex: column.index).startsAsJSON
        {
            return try decodeJSON(JSONContent.self, key: key, at: column.index).decoder
        }
        guard let scope = columns.row.scopesTree[key.stringValue] else { return superDecoder() }
        return columns.retain(
            RecordDecoder(
                row: scope,
                recordType: columns.recordType,
                codingPath: codingPath + [key]
            )
        )
    }
}

/// A decoder that reads a value from a single column.
final class ColumnDecoder: SingleValueDecoder {
    private let row: Row
    private let index: Int
    private let recordType: any FetchableRecord.Type
    let codingPath: [any CodingKey]
    var requiresJSON = false
    var userInfo: [CodingUserInfoKey: Any] { recordType.databaseDecodingUserInfo }

    init(
        row: Row,
        index: Int,
        recordType: any FetchableRecord.Type,
        codingPath: [any CodingKey]
    ) {
        self.row = row
        self.index = index
        self.recordType = recordType
        self.codingPath = codingPath
    }

    var mayBeJSON: Bool { row.databaseValue(atUncheckedIndex: index).startsAsJSON }

    func decodeNil() -> Bool { row.hasNull(atIndex: index) }

    func convert<Value: DatabaseValueConvertible>(_ type: Value.Type) throws -> Value {
        try row.decodeWithStrategy(type, atUncheckedIndex: index, for: recordType)
            ?? row.convert(type, atUncheckedIndex: index)
    }
}

/// The decoder that a JSON decoder passes to a type.
///
/// With this decoder, a record can request containers of the JSON in a column.
struct JSONContent: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) { self.decoder = decoder }
}
