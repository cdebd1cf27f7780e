import Foundation

/// An encoder that collects the columns of a record.
final class RecordEncoder: Encoder {
    let codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { recordType.databaseEncodingUserInfo }
    fileprivate(set) var container: PersistenceContainer
    fileprivate let recordType: any EncodableRecord.Type
    /// The function that converts a key to a column, or `nil` if their names are equal.
    fileprivate let conversion: (@Sendable (any CodingKey) -> String)?

    /// The nested containers, which are stored as JSON.
    private var nested: [(column: String, values: NestedValues)] = []

    init(container: PersistenceContainer, recordType: any EncodableRecord.Type) {
        self.container = container
        self.recordType = recordType
        conversion = recordType.databaseColumnEncodingStrategy.conversion
    }

    @inline(__always)
    fileprivate func column(_ key: some CodingKey) -> String {
        guard let conversion else { return key.stringValue }
        return conversion(key)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(ColumnsEncoder(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        RefusingUnkeyedContainer(
            encoder: self,
            error: EncodingError.invalidValue(
                recordType,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription:
                        "\(recordType) encodes itself as a list, but a record must encode columns"
                )
            )
        )
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        WrapperEncoder(encoder: self)
    }

    /// Returns the values of the nested container that is stored in a column.
    fileprivate func nestedValues(_ column: String) -> NestedValues {
        if let known = nested.first(where: { $0.column == column }) { return known.values }
        let values = NestedValues(userInfo: userInfo)
        nested.append((column, values))
        return values
    }

    /// Stores the values of the nested containers.
    fileprivate func finish() throws {
        for (column, values) in nested {
            let json = try recordType.databaseJSONEncoder(for: column).encode(values)
            container.set(String(decoding: json, as: UTF8.self).databaseValue, column)
        }
    }

    fileprivate func encode<T: Encodable>(_ value: T, column: String) throws {
        if let value = try recordType.encodeWithStrategy(value, column: column) {
            container.set(value, column)
            return
        }
        if let convertible = value as? any DatabaseValueConvertible {
            container.set(convertible.databaseValue, column)
            return
        }
        let target = ColumnEncoder.Target(column: column, recordType: recordType)
        let value = try ColumnEncoder.encode(value, for: target) {
            recordType.databaseJSONEncoder(for: column)
        }
        container.set(value, column)
    }
}

extension EncodableRecord where Self: Encodable {
    /// Sets the values that the record encodes.
    public func encode(to container: inout PersistenceContainer) throws {
        let encoder = RecordEncoder(container: container, recordType: Self.self)
        try encode(to: encoder)
        try encoder.finish()
        container = encoder.container
    }
}

/// A container that collects column values by coding key and stores missing values as `NULL`.
private struct ColumnsEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: RecordEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { encoder.container.set(.null, encoder.column(key)) }

    // These types need no conformance checks.
    func encode(_ value: Bool, forKey key: Key) { set(value, key: key) }
    func encode(_ value: String, forKey key: Key) { set(value, key: key) }
    func encode(_ value: Double, forKey key: Key) { set(value, key: key) }
    func encode(_ value: Int, forKey key: Key) { set(value, key: key) }
    func encode(_ value: Int64, forKey key: Key) { set(value, key: key) }
    func encodeIfPresent(_ value: Bool?, forKey key: Key) { set(value, key: key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) { set(value, key: key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) { set(value, key: key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) { set(value, key: key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) { set(value, key: key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) { set(value, key: key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) { set(value, key: key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) { set(value, key: key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) { set(value, key: key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) { set(value, key: key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) { set(value, key: key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) { set(value, key: key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) { set(value, key: key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) { set(value, key: key) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try encoder.encode(value, column: encoder.column(key))
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        guard let value else { return encodeNil(forKey: key) }
        try encode(value, forKey: key)
    }

    @inline(__always)
    private func set(_ value: some DatabaseValueConvertible, key: Key) {
        encoder.container.set(value.databaseValue, encoder.column(key))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.nestedValues(encoder.column(key)).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.nestedValues(encoder.column(key)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder }

    func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

/// A container for a record that encodes itself as another record.
private struct WrapperEncoder: SingleValueEncodingContainer {
    let encoder: RecordEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws { throw notARecordError("nil") }

    func encode<T: Encodable>(_ value: T) throws {
        if let record = value as? any EncodableRecord {
            try record.encode(to: &encoder.container)
        } else if value is any DatabaseValueConvertible {
            throw notARecordError("\(value)")
        } else {
            try value.encode(to: encoder)
        }
    }

    private func notARecordError(_ value: String) -> EncodingError {
        EncodingError.invalidValue(
            value,
            EncodingError.Context(
                codingPath: [],
                debugDescription: """
                    \(encoder.recordType) encodes itself as the single value \(value), which \
                    belongs to no column
                    """
            )
        )
    }
}

extension EncodableRecord {
    /// Encodes a value with the strategy for its type, or returns `nil` if the type has no
    /// strategy.
    static func encodeWithStrategy<T>(_ value: T, column: String) throws -> DatabaseValue? {
        if T.self == Date.self {
            return databaseDateEncodingStrategy(for: column)
                .encode(exactCast(value, as: Date.self))
        }
        if T.self == Data.self {
            return try databaseDataEncodingStrategy(for: column)
                .encode(exactCast(value, as: Data.self))
        }
        if T.self == UUID.self {
            return databaseUUIDEncodingStrategy(for: column)
                .encode(exactCast(value, as: UUID.self))
        }
        return nil
    }
}

/// An encoder that receives the single value that a type encodes, or detects that the type requires
/// JSON.
final class ColumnEncoder: Encoder, SingleValueEncodingContainer {
    /// The column of a record, whose type determines how dates, data, and UUIDs are encoded.
    struct Target {
        let column: String
        let recordType: any EncodableRecord.Type
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { target?.recordType.databaseEncodingUserInfo ?? [:] }
    private let target: Target?

    /// The encoded value, or `nil` if the type has not encoded a value.
    private var value: DatabaseValue?

    /// Whether the type has requested a keyed or unkeyed container.
    private var requiresJSON = false

    private init(target: Target?) { self.target = target }

    /// Returns the single database value that `value` encodes, or `value` as JSON text.
    static func encode(
        _ value: some Encodable,
        for target: Target? = nil,
        json makeJSONEncoder: () -> JSONEncoder
    ) throws -> DatabaseValue {
        let encoder = ColumnEncoder(target: target)
        do {
            try value.encode(to: encoder)
        } catch is JSONRequiredError {
            encoder.requiresJSON = true
        }
        if let value = encoder.value, !encoder.requiresJSON { return value }
        return String(decoding: try makeJSONEncoder().encode(value), as: UTF8.self).databaseValue
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        requiresJSON = true
        return KeyedEncodingContainer(RefusingKeyedContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        requiresJSON = true
        return RefusingUnkeyedContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { value = .null }

    func encode<T: Encodable>(_ value: T) throws {
        if let target,
            let value = try target.recordType.encodeWithStrategy(value, column: target.column)
        {
            self.value = value
        } else if let convertible = value as? any DatabaseValueConvertible {
            self.value = convertible.databaseValue
        } else {
            try value.encode(to: self)
        }
    }
}
