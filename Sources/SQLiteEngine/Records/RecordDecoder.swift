import Foundation

/// Decodes records from the columns of a row.
///
/// One decoder decodes all rows of a cursor. It caches the column for each key, so decoding a row
/// does not compare names.
final class RecordDecoder: Decoder {
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { recordType.databaseDecodingUserInfo }

    let columns: RowColumns

    /// The container for keys of type ``keyType``, as a `Kept<KeyedDecodingContainer<Key>>`.
    @exclusivity(unchecked) private var container: AnyObject?
    @exclusivity(unchecked) private var keyType: ObjectIdentifier?

    /// Returns the error to throw for a single-value decoding, if the row replaces a missing
    /// column.
    private let missing: (() -> RowDecodingError)?

    private var row: Row { columns.row }
    private var recordType: any FetchableRecord.Type { columns.recordType }

    init(
        row: Row,
        recordType: any FetchableRecord.Type,
        codingPath: [any CodingKey] = [],
        missing: (() -> RowDecodingError)? = nil
    ) {
        self.codingPath = codingPath
        self.missing = missing
        columns = RowColumns(row: row, recordType: recordType, codingPath: codingPath)
        columns.owner = self
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        if let container, keyType == ObjectIdentifier(type) {
            return unsafeDowncast(container, to: Kept<KeyedDecodingContainer<Key>>.self).value()
        }
        return makeContainer(keyedBy: type)
    }

    @inline(never)
    private func makeContainer<Key: CodingKey>(
        keyedBy type: Key.Type
    ) -> KeyedDecodingContainer<Key> {
        let kept = Kept(KeyedDecodingContainer(RecordColumns<Key>(columns)))
        container = kept
        keyType = ObjectIdentifier(type)
        return kept.value()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw DecodingError.typeMismatch(
            [Any].self,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription: "a list cannot be decoded from a database row: \(row)"
            )
        )
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        if let missing { throw missing() }
        return FirstColumnDecoder(columns: columns, codingPath: codingPath)
    }
}

/// A value that a decoder keeps from row to row.
///
/// A generic function that returns a `KeyedDecodingContainer<Key>` looks up that type in each call,
/// which takes as long as reading three columns. The class of an object contains its type
/// information, so a method of the object needs no lookup. This method must therefore not be
/// inlined.
private final class Kept<Value> {
    private let kept: Value

    init(_ value: Value) { kept = value }

    @inline(never)
    func value() -> Value { kept }
}

/// Decodes a record from a single value: the first column, or a wrapped record.
private struct FirstColumnDecoder: SingleValueDecodingContainer {
    let columns: RowColumns
    let codingPath: [any CodingKey]

    private var row: Row { columns.row }

    func decodeNil() -> Bool { row.count == 0 || row.hasNull(atIndex: 0) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if row.count > 0,
            let value = try row.strategicValue(
                type,
                atUncheckedIndex: 0,
                for: columns.recordType
            )
        {
            return value
        }
        if let convertible = type as? any DatabaseValueConvertible.Type {
            return try value(convertible, as: type)
        }
        return try row.decodeRecord(type, within: columns, codingPath: codingPath)
    }

    private func value<Value: DatabaseValueConvertible, T>(
        _ value: Value.Type,
        as type: T.Type
    ) throws -> T {
        guard row.count > 0 else { throw RowDecodingError.columnNotFound("", row: row) }
        return identical(try row.convert(value, atUncheckedIndex: 0), as: type)
    }
}

/// Casts a value to the type of another generic parameter.
///
/// - Precondition: `Value` and `T` are the same type.
@inline(__always)
func identical<Value, T>(_ value: Value, as type: T.Type) -> T {
    precondition(Value.self == T.self)
    return unsafeBitCast(value, to: T.self)
}
