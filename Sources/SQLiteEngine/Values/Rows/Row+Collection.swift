/// A row is a collection of its columns from left to right, as pairs of a name and a value.
extension Row: RandomAccessCollection {
    /// The position of a column.
    public struct Index: Comparable, Strideable, Sendable {
        let index: Int

        /// Returns whether two positions are the same.
        public static func == (lhs: Self, rhs: Self) -> Bool { lhs.index == rhs.index }

        /// Returns whether a position is to the left of another.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.index < rhs.index }

        /// Returns the distance to another position.
        public func distance(to other: Self) -> Int { other.index - index }

        /// Returns the position that is `n` columns to the right.
        public func advanced(by n: Int) -> Self { Self(index: index + n) }
    }

    /// The position of the first column.
    public var startIndex: Index { Index(index: 0) }

    /// The position after the last column.
    public var endIndex: Index { Index(index: count) }

    /// The name and the value of a column.
    public subscript(position: Index) -> (String, DatabaseValue) {
        checkIndex(position.index)
        return (layout.names[position.index], databaseValue(atUncheckedIndex: position.index))
    }

    /// The names of the columns, from left to right.
    public var columnNames: LazyMapCollection<Row, String> { lazy.map(\.0) }

    /// The values, from left to right.
    public var databaseValues: LazyMapCollection<Row, DatabaseValue> { lazy.map(\.1) }
}

extension Row: Hashable {
    /// Returns whether two rows have the same columns in the same order, and the same scopes.
    public static func == (lhs: Row, rhs: Row) -> Bool {
        if lhs === rhs { return true }
        guard lhs.elementsEqual(rhs, by: ==) else { return false }
        let names = lhs.layout.scopes.keys
        return names == rhs.layout.scopes.keys
            && names.allSatisfy { lhs.scopes[$0] == rhs.scopes[$0] }
    }

    /// Feeds the columns into `hasher`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for (name, value) in self {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}

extension Row: ExpressibleByDictionaryLiteral {
    /// Creates a row from the key-value pairs of a literal, in order.
    public convenience init(
        dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...
    ) {
        self.init(columns: elements.map { ($0.0, $0.1?.databaseValue ?? .null) })
    }
}

extension Row: CustomStringConvertible, CustomDebugStringConvertible {
    /// The columns in the format `[id:1 name:"Arthur"]`.
    public var description: String {
        "[\(map { "\($0.0):\($0.1)" }.joined(separator: " "))]"
    }

    /// The columns of the row, followed by the statement's columns and the scopes.
    public var debugDescription: String {
        let base = unadapted
        guard self != base else { return description }
        var lines = ["▿ \(description)"]
        if unscoped != base { lines.append("  unadapted: \(base.description)") }
        lines += scopeLines(indentation: "  ")
        return lines.joined(separator: "\n")
    }

    private func scopeLines(indentation: String) -> [String] {
        scopes.sorted { $0.name < $1.name }.flatMap { scope in
            ["\(indentation)- \(scope.name): \(scope.row.description)"]
                + scope.row.scopeLines(indentation: indentation + "  ")
        }
    }
}
