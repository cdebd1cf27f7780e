import Telemetry

/// A value that a program bound to a parameter of a statement.
public enum StatementValue: Sendable, Equatable {
    /// `NULL`, or a parameter without a value.
    case null
    /// An integer.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A string, truncated if it is long.
    case text(String)
    /// A blob that is not read, with its length in bytes.
    case blob(bytes: Int)
}

extension StatementValue: CustomStringConvertible {
    /// The value as an SQL literal, or the length of a blob.
    public var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let text): text.quoted(by: "'")
        case .blob(let bytes): "a blob of \(bytes) bytes"
        }
    }
}
