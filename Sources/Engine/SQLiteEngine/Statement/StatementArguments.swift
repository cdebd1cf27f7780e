/// The values of a statement's parameters, by position, by name, or both.
///
/// ```swift
/// try db.execute(sql: "INSERT INTO player VALUES (?, ?)", arguments: ["Arthur", 1000])
/// try db.execute(sql: "UPDATE player SET score = :score", arguments: ["score": 0])
/// ```
///
/// A named parameter receives the value with its name, if any. All other parameters receive the
/// positional values, from left to right.
public struct StatementArguments: Hashable, Sendable {
    /// The first positional value, stored inline so that the arguments of a fetch by key need no
    /// allocation.
    @usableFromInline var first: DatabaseValue?

    /// The values that are not stored inline, or `nil` if there are none.
    ///
    /// The reference occupies a single word, so passing arguments is inexpensive.
    @usableFromInline var more: MoreArguments?

    /// Creates empty arguments.
    @inlinable
    public init() {}

    @inlinable
    init(first: DatabaseValue?, more: MoreArguments? = nil) {
        self.first = first
        self.more = more
    }

    /// Whether there are no arguments.
    public var isEmpty: Bool { first == nil && named.isEmpty }

    var others: [DatabaseValue] { more?.values ?? [] }

    /// The values by name, without the `:`, `@`, or `$` of the SQL.
    var named: [String: DatabaseValue] { more?.names ?? [:] }

    @inline(__always)
    var isPositional: Bool { more?.names.isEmpty ?? true }

    @inline(__always)
    var positionalCount: Int { first == nil ? 0 : (more?.values.count ?? 0) + 1 }

    var values: [DatabaseValue] { first.map { [$0] + others } ?? [] }

    @usableFromInline
    init(values: [DatabaseValue], names: [String: DatabaseValue] = [:]) {
        first = values.first
        if values.count > 1 || !names.isEmpty {
            more = MoreArguments(values: Array(values.dropFirst()), names: names)
        }
    }

    /// Returns whether both operands have the same values.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.first == rhs.first && lhs.others == rhs.others && lhs.named == rhs.named
    }

    /// Feeds the arguments into `hasher`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(first)
        hasher.combine(others)
        hasher.combine(named)
    }
}

@usableFromInline
final class MoreArguments: Sendable {
    /// The positional values after the first.
    let values: [DatabaseValue]

    let names: [String: DatabaseValue]

    @usableFromInline
    init(values: [DatabaseValue], names: [String: DatabaseValue] = [:]) {
        self.values = values
        self.names = names
    }
}

extension StatementArguments {
    /// Creates positional arguments.
    @inlinable
    public init(_ values: some Sequence<(any DatabaseValueConvertible)?>) {
        self.init(values: values.map { $0?.databaseValue ?? .null })
    }

    /// Creates positional arguments.
    @inlinable
    public init(_ values: some Sequence<some DatabaseValueConvertible>) {
        self.init(values: values.map(\.databaseValue))
    }

    /// Creates positional arguments, or returns `nil` if a value has no database representation.
    public init?(_ array: [Any]) {
        let values = array.compactMap(DatabaseValue.init(value:))
        guard values.count == array.count else { return nil }
        self.init(values: values)
    }

    /// Creates named arguments.
    public init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
        self.init(values: [], names: dictionary.mapValues { $0?.databaseValue ?? .null })
    }

    /// Creates named arguments.
    ///
    /// If a name occurs more than once, its last value takes precedence.
    public init(_ keysAndValues: some Sequence<(String, (any DatabaseValueConvertible)?)>) {
        var named: [String: DatabaseValue] = [:]
        named.reserveCapacity(keysAndValues.underestimatedCount)
        for (name, value) in keysAndValues { named[name] = value?.databaseValue ?? .null }
        self.init(values: [], names: named)
    }

    /// Creates named arguments.
    ///
    /// The result is `nil` if a key is not a string or a value has no database representation.
    public init?(_ dictionary: [AnyHashable: Any]) {
        var named: [String: DatabaseValue] = [:]
        for (name, value) in dictionary {
            guard let name = name as? String, let value = DatabaseValue(value: value) else {
                return nil
            }
            named[name] = value
        }
        self.init(values: [], names: named)
    }
}

extension StatementArguments {
    /// Appends arguments.
    ///
    /// Positional values follow the existing values. Named values replace existing values with the
    /// same names.
    ///
    /// - Returns: The replaced named values.
    public mutating func append(
        contentsOf arguments: StatementArguments
    ) -> [String: DatabaseValue] {
        var replaced: [String: DatabaseValue] = [:]
        var named = named
        for (name, value) in arguments.named {
            if let old = named.updateValue(value, forKey: name) { replaced[name] = old }
        }
        self = StatementArguments(values: values + arguments.values, names: named)
        return replaced
    }

    /// Combines arguments.
    ///
    /// It is a fatal error if both operands have a value for the same name.
    ///
    /// To prefer the right operand, use ``&+(_:_:)``.
    public static func + (lhs: Self, rhs: Self) -> Self {
        var result = lhs
        result += rhs
        return result
    }

    /// Combines arguments.
    ///
    /// If both operands have a value for a name, the right operand takes precedence.
    public static func &+ (lhs: Self, rhs: Self) -> Self {
        var result = lhs
        _ = result.append(contentsOf: rhs)
        return result
    }

    /// Appends arguments.
    ///
    /// It is a fatal error if both operands have a value for the same name.
    public static func += (lhs: inout Self, rhs: Self) {
        let replaced = lhs.append(contentsOf: rhs)
        requirement(
            replaced.isEmpty,
            "duplicate statement argument: \(replaced.keys.sorted().joined(separator: ", "))"
        )
    }
}

extension StatementArguments: ExpressibleByArrayLiteral {
    /// Creates positional arguments from a literal.
    @inlinable
    @inline(__always)
    public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {
        self = elements.withUnsafeBufferPointer(Self.make)
    }

    @usableFromInline
    static func make(_ elements: UnsafeBufferPointer<(any DatabaseValueConvertible)?>) -> Self {
        guard let start = elements.baseAddress, !elements.isEmpty else { return Self() }
        let first = value(at: start)
        guard elements.count > 1 else { return Self(first: first) }
        let others = (1..<elements.count).map { value(at: start + $0) }
        return Self(first: first, more: MoreArguments(values: others))
    }

    // Unwrapping an element in place would copy it, which takes longer than binding a number. The
    // compiler does not copy an element that it passes to a function.

    private static func value(
        at element: UnsafePointer<(any DatabaseValueConvertible)?>
    ) -> DatabaseValue {
        if isNil(element.pointee) { return .null }
        return element.withMemoryRebound(to: (any DatabaseValueConvertible).self, capacity: 1) {
            value(of: $0.pointee)
        }
    }

    @inline(never)
    private static func isNil(_ element: (any DatabaseValueConvertible)?) -> Bool {
        element == nil
    }

    @inline(never)
    private static func value(of element: any DatabaseValueConvertible) -> DatabaseValue {
        element.databaseValue
    }
}

extension StatementArguments: ExpressibleByDictionaryLiteral {
    /// Creates named arguments from a literal.
    public init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
        self.init(elements)
    }
}

extension StatementArguments: CustomStringConvertible {
    /// The values, with named values first: `["id": 1, "Arthur"]`.
    public var description: String {
        let named = named.sorted { $0.key < $1.key }
            .map { "\(String(reflecting: $0.key)): \($0.value)" }
        return "[\((named + values.map(\.description)).joined(separator: ", "))]"
    }
}
