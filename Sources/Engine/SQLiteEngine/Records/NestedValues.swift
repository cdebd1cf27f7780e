/// The values that a record encodes in a nested container, which is stored as JSON in one column.
///
/// `Encoder` requires that a container is returned at once, but JSON is available only when all
/// values are known. This encoder therefore collects the values, and encodes them later.
final class NestedValues: Encoder, Encodable {
    private enum Content {
        case null
        case value(any Encodable)
        case keyed([(key: any CodingKey, values: NestedValues)])
        case unkeyed([NestedValues])
    }

    /// A key with the name and the number of a record's key.
    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int?

        init(_ key: any CodingKey) {
            stringValue = key.stringValue
            intValue = key.intValue
        }

        init?(stringValue: String) {
            self.stringValue = stringValue
            intValue = nil
        }

        init?(intValue: Int) {
            stringValue = "\(intValue)"
            self.intValue = intValue
        }

        /// The key that `JSONEncoder` uses for the values of a superclass.
        static var superclass: Key? { Key(stringValue: "super") }
    }

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any]
    private var content: Content?

    init(userInfo: [CodingUserInfoKey: Any]) { self.userInfo = userInfo }

    func encode(to encoder: any Encoder) throws {
        switch content {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .value(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .keyed(let values):
            var container = encoder.container(keyedBy: Key.self)
            for (key, values) in values { try container.encode(values, forKey: Key(key)) }
        case .unkeyed(let values):
            var container = encoder.unkeyedContainer()
            for values in values { try container.encode(values) }
        case nil:
            // A superclass without values.
            _ = encoder.container(keyedBy: Key.self)
        }
    }

    // MARK: Collecting values

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .keyed = content {} else { content = .keyed([]) }
        return KeyedEncodingContainer(KeyedValues(values: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .unkeyed = content {} else { content = .unkeyed([]) }
        return UnkeyedValues(values: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleValue(values: self) }

    private func set(_ value: any Encodable) { content = .value(value) }

    private func setNull() { content = .null }

    /// Returns the values for a key, which replace any previous values unless both are containers.
    private func values(for key: any CodingKey) -> NestedValues {
        guard case .keyed(var all) = content else { return NestedValues(userInfo: userInfo) }
        if let known = all.first(where: { $0.key.stringValue == key.stringValue }) {
            return known.values
        }
        let values = NestedValues(userInfo: userInfo)
        all.append((key, values))
        content = .keyed(all)
        return values
    }

    private func appendValues() -> NestedValues {
        let values = NestedValues(userInfo: userInfo)
        guard case .unkeyed(var all) = content else { return values }
        all.append(values)
        content = .unkeyed(all)
        return values
    }

    private var count: Int {
        guard case .unkeyed(let all) = content else { return 0 }
        return all.count
    }

    private struct SingleValue: SingleValueEncodingContainer {
        let values: NestedValues
        var codingPath: [any CodingKey] { [] }

        func encodeNil() { values.setNull() }

        func encode<T: Encodable>(_ value: T) { values.set(value) }
    }

    private struct KeyedValues<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let values: NestedValues
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) { values.values(for: key).setNull() }

        func encode<T: Encodable>(_ value: T, forKey key: Key) {
            values.values(for: key).set(value)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy keyType: NestedKey.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> {
            values.values(for: key).container(keyedBy: keyType)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            values.values(for: key).unkeyedContainer()
        }

        func superEncoder() -> any Encoder {
            NestedValues.Key.superclass.map { values.values(for: $0) } ?? values
        }

        func superEncoder(forKey key: Key) -> any Encoder { values.values(for: key) }
    }

    private struct UnkeyedValues: UnkeyedEncodingContainer {
        let values: NestedValues
        var codingPath: [any CodingKey] { [] }
        var count: Int { values.count }

        func encodeNil() { values.appendValues().setNull() }

        func encode<T: Encodable>(_ value: T) { values.appendValues().set(value) }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy keyType: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> {
            values.appendValues().container(keyedBy: keyType)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            values.appendValues().unkeyedContainer()
        }

        func superEncoder() -> any Encoder { values.appendValues() }
    }
}
