import CSQLite

/// An SQLite result code, primary or extended.
///
/// Any integer is a valid code, because future versions of SQLite may return codes that this
/// library does not define. In a pattern, a primary code matches all of its extended codes, and an
/// extended code matches only itself:
///
/// ```swift
/// do {
///     try pool.write { db in try player.insert(db) }
/// } catch DatabaseError.SQLITE_CONSTRAINT_UNIQUE {  // the more specific code first
///     print("A player with this name already exists.")
/// } catch DatabaseError.SQLITE_CONSTRAINT {
///     print("The player violates another constraint.")
/// }
/// ```
public struct ResultCode: ResultCodes, RawRepresentable, Hashable, Sendable {
    /// The integer value in C.
    public let rawValue: CInt

    /// Creates a code from its integer value in C.
    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The primary code, which is the low byte.
    public var primaryResultCode: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    /// Returns an extended code of this primary code.
    func extended(_ number: CInt) -> ResultCode { ResultCode(rawValue: rawValue | number << 8) }

    /// SQLite's description of the code, in English.
    var message: String? { sqlite3_errstr(rawValue).map { String(cString: $0) } }

    /// Returns whether `code` is `pattern` or one of its extended codes.
    public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primaryResultCode
    }

    /// Returns whether `error` is a ``DatabaseError`` with the code `pattern` or one of its
    /// extended codes.
    public static func ~= (pattern: ResultCode, error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return pattern ~= error.extendedResultCode
    }
}

extension ResultCode: CustomStringConvertible {
    /// The value, the name, and the meaning, such as `2067 (SQLITE_CONSTRAINT_UNIQUE: constraint
    /// failed)`.
    public var description: String {
        let meaning = [name, message].compactMap(\.self).joined(separator: ": ")
        return meaning.isEmpty ? "\(rawValue)" : "\(rawValue) (\(meaning))"
    }
}
