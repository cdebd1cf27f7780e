import Foundation

/// A decoder that creates records from the columns of a row.
///
/// One decoder decodes all rows of a cursor. It caches the column for each key, so decoding a row
/// does not compare names.
final class RecordDecoder: Decoder {
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { recordType.databaseDecodingUserInfo }

    let columns: RowColumns

    /// The container for keys of type ``keyType``, as a `Box<KeyedDecodingContainer<Key>>`.
    @exclusivity(unchecked) private var container: AnyObject?
    @exclusivity(unchecked) private var keyType: ObjectIdentifier?

    /// The containers for all types of keys, if the record uses several types.
    @exclusivity(unchecked) private var containers: [ObjectIdentifier: AnyObject] = [:]

    /// A closure that returns the error to throw when a single value is decoded, or `nil` if the
    /// decoder does not replace a missing column.
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
        if columns.hasRowState { columns.clearRootKey(ofKeysOf: type) }
        if let container, keyType == ObjectIdentifier(type) {
            return unsafeDowncast(container, to: Box<KeyedDecodingContainer<Key>>.self).value()
        }
        return makeContainer(keyedBy: type)
    }

    @inline(never)
    private func makeContainer<Key: CodingKey>(
        keyedBy type: Key.Type
    ) -> KeyedDecodingContainer<Key> {
        let id = ObjectIdentifier(type)
        if let container, let keyType { containers[keyType] = container }
        keyType = id
        if let known = containers[id] {
            container = known
            return unsafeDowncast(known, to: Box<KeyedDecodingContainer<Key>>.self).value()
        }
        let cached = Box(KeyedDecodingContainer(RecordColumns<Key>(columns)))
        container = cached
        return cached.value()
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

/// A box for a value that a decoder caches across rows.
///
/// A generic function that returns a `KeyedDecodingContainer<Key>` looks up that type in each call,
/// which takes as long as reading three columns. An object's class contains its type information,
/// so a method of the object needs no lookup unless the compiler inlines it.
private final class Box<Value> {
    private let cached: Value

    init(_ value: Value) { cached = value }

    @inline(never)
    func value() -> Value { cached }
}

/// A container that decodes a record from a single value: the first column, or a wrapped record.
private struct FirstColumnDecoder: SingleValueDecodingContainer {
    let columns: RowColumns
    let codingPath: [any CodingKey]

    private var row: Row { columns.row }

    func decodeNil() -> Bool { row.count == 0 || row.hasNull(atIndex: 0) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if row.count > 0,
            let value = try row.decodeWithStrategy(
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
        return exactCast(try row.convert(value, atUncheckedIndex: 0), as: type)
    }
}

/// Casts a value to the type of another generic parameter.
///
/// - Precondition: `Value` and `T` are the same type.
@inline(__always)
func exactCast<Value, T>(_ value: Value, as type: T.Type) -> T {
    precondition(Value.self == T.self)
    return unsafeBitCast(value, to: T.self)
}
