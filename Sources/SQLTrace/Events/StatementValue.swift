/// A value that a program bound to a parameter of a statement.
public enum StatementValue: Sendable, Equatable {
    /// `NULL`, or a parameter without a value.
    case null
    /// An integer.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A string; long strings are truncated.
    case text(String)
    /// The length of a blob, in bytes: its content is not read.
    case blob(bytes: Int)
}

extension StatementValue: CustomStringConvertible {
    /// The value as an SQL literal; for a blob, only its length.
    public var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let text): "'" + text.replacing("'", with: "''") + "'"
        case .blob(let bytes): "a blob of \(bytes) bytes"
        }
    }
}
