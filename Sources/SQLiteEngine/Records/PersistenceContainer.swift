/// The column values that a record writes, in the order in which the record first set them.
///
/// Column names are case-insensitive.
public struct PersistenceContainer: Sendable {
    private(set) var columns: [String] = []
    private(set) var values: [DatabaseValue] = []

    init() {}

    init(_ record: some EncodableRecord) throws {
        try record.encode(to: &self)
    }

    /// The value of a column, or `nil` if the value is `NULL` or missing.
    public subscript(_ column: String) -> (any DatabaseValueConvertible)? {
        get { position(of: column).flatMap { values[$0].storage.value } }
        set { set(newValue?.databaseValue ?? .null, column) }
    }

    /// The value of a column, or `nil` if the value is `NULL` or missing.
    public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
        get { self[column.name] }
        set { self[column.name] = newValue }
    }

    mutating func set(_ value: DatabaseValue, _ column: String) {
        if let position = position(of: column) {
            values[position] = value
        } else {
            columns.append(column)
            values.append(value)
        }
    }

    /// Returns the value of a column, or `NULL` if the value is missing.
    func databaseValue(at column: String) -> DatabaseValue {
        position(of: column).map { values[$0] } ?? .null
    }

    func contains(_ column: String) -> Bool { position(of: column) != nil }

    /// Returns the columns that differ from another container, mapped to that container's values.
    func changes(from container: PersistenceContainer) -> [String: DatabaseValue] {
        var changes: [String: DatabaseValue] = [:]
        for (column, value) in self {
            let before = container.databaseValue(at: column)
            if before != value { changes[column] = before }
        }
        return changes
    }

    private func position(of column: String) -> Int? {
        // Compare exact names first, because most names match without case folding.
        columns.firstIndex(of: column) ?? columns.firstIndex { $0.isSameIdentifier(as: column) }
    }
}

extension PersistenceContainer: RandomAccessCollection {
    /// The position of the first column.
    public var startIndex: Int { 0 }

    /// The position after the last column.
    public var endIndex: Int { columns.count }

    /// A column and its value.
    public subscript(position: Int) -> (String, DatabaseValue) {
        (columns[position], values[position])
    }
}

extension String {
    /// Returns whether SQLite treats two names as the same identifier.
    ///
    /// SQLite ignores the case of ASCII letters only.
    func isSameIdentifier(as other: String) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { $0.asciiLowercase == $1.asciiLowercase }
    }

    /// A string that is equal for two names if and only if SQLite treats them as the same
    /// identifier.
    ///
    /// SQLite distinguishes `É` from `é`, and also the two representations of `é` in Unicode, which
    /// are equal strings in Swift. The key of such a name contains its bytes as numbers, after a NUL
    /// character that no name contains.
    var identifierKey: String {
        var isLowercase = true
        for byte in utf8 {
            if byte >= 0x80 {
                return "\0"
                    + utf8.map { String($0.asciiLowercase, radix: 16) }.joined(separator: " ")
            }
            if 0x41...0x5A ~= byte { isLowercase = false }
        }
        // Return a name that is already lowercase without copying it.
        return isLowercase ? self : lowercased()
    }
}

extension UInt8 {
    @inline(__always)
    var asciiLowercase: UInt8 { 0x41...0x5A ~= self ? self | 0x20 : self }
}
