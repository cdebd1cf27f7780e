import Foundation

/// The strategy that an `Encodable` record uses to write `Data`.
public enum DatabaseDataEncodingStrategy: Sendable {
    /// Writes a blob.
    case deferredToData
    /// Writes text, or throws an error if the bytes are not valid UTF-8.
    case text
    /// Calls a closure, and writes `NULL` if the closure returns `nil`.
    case custom(@Sendable (Data) -> (any DatabaseValueConvertible)?)

    func encode(_ data: Data) throws -> DatabaseValue {
        switch self {
        case .deferredToData: return data.databaseValue
        case .text:
            guard let text = String(data: data, encoding: .utf8) else {
                throw EncodingError.invalidValue(
                    data,
                    EncodingError.Context(
                        codingPath: [],
                        debugDescription: "the data is not valid UTF-8 text"
                    )
                )
            }
            return text.databaseValue
        case .custom(let encode): return encode(data)?.databaseValue ?? .null
        }
    }
}

/// The strategy that an `Encodable` record uses to write dates.
///
/// `@unchecked Sendable`: `DateFormatter` is documented as thread-safe, but only some platforms
/// declare it as `Sendable`.
public enum DatabaseDateEncodingStrategy: @unchecked Sendable {
    /// Writes UTC text in the format `YYYY-MM-DD HH:MM:SS.SSS`.
    case deferredToDate
    /// Writes the seconds since 2001-01-01 00:00:00 UTC, including fractions.
    case timeIntervalSinceReferenceDate
    /// Writes the seconds since 1970-01-01 00:00:00 UTC, including fractions.
    case timeIntervalSince1970
    /// Writes the whole seconds since 1970-01-01 00:00:00 UTC.
    case secondsSince1970
    /// Writes the whole milliseconds since 1970-01-01 00:00:00 UTC.
    case millisecondsSince1970
    /// Writes text such as `2001-01-01T00:00:00Z`, without fractional seconds.
    case iso8601
    /// Uses a formatter.
    case formatted(DateFormatter)
    /// Calls a closure, and writes `NULL` if the closure returns `nil`.
    case custom(@Sendable (Date) -> (any DatabaseValueConvertible)?)

    func encode(_ date: Date) -> DatabaseValue {
        switch self {
        case .deferredToDate: date.databaseValue
        case .timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.databaseValue
        case .timeIntervalSince1970: date.timeIntervalSince1970.databaseValue
        case .secondsSince1970: Int64(date.timeIntervalSince1970.rounded(.down)).databaseValue
        case .millisecondsSince1970:
            Int64((1000 * date.timeIntervalSince1970).rounded(.down)).databaseValue
        case .iso8601: Date.ISO8601FormatStyle().format(date).databaseValue
        case .formatted(let formatter): formatter.string(from: date).databaseValue
        case .custom(let encode): encode(date)?.databaseValue ?? .null
        }
    }
}

/// The strategy that an `Encodable` record uses to write UUIDs.
public enum DatabaseUUIDEncodingStrategy: Hashable, Sendable {
    /// Writes a blob of 16 bytes.
    case deferredToUUID
    /// Writes uppercase text.
    case uppercaseString
    /// Writes lowercase text.
    case lowercaseString

    func encode(_ uuid: UUID) -> DatabaseValue {
        switch self {
        case .deferredToUUID: uuid.databaseValue
        case .uppercaseString: uuid.uuidString.databaseValue
        case .lowercaseString: uuid.uuidString.lowercased().databaseValue
        }
    }
}

/// The strategy that maps an `Encodable` record's coding keys to columns.
public enum DatabaseColumnEncodingStrategy: Sendable {
    /// Uses keys as column names.
    case useDefaultKeys
    /// Converts key names to snake case: the keys `teamId` and `teamID` map to the column
    /// `team_id`.
    case convertToSnakeCase
    /// Calls a closure that returns the column for a key.
    case custom(@Sendable (any CodingKey) -> String)

    /// The function that converts a key to a column, or `nil` if their names are equal.
    var conversion: (@Sendable (any CodingKey) -> String)? {
        switch self {
        case .useDefaultKeys: nil
        case .convertToSnakeCase: { SnakeCase.column(of: $0.stringValue) }
        case .custom(let column): column
        }
    }
}
