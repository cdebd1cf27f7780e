import Foundation

/// The strategy that a `Decodable` record uses to read `Data`.
public enum DatabaseDataDecodingStrategy: Sendable {
    /// Reads blobs and text.
    case deferredToData
    /// Calls a closure, and fails if the closure returns `nil`.
    case custom(@Sendable (DatabaseValue) -> Data?)

    var isDeferred: Bool {
        if case .deferredToData = self { true } else { false }
    }

    func decode(_ value: DatabaseValue) -> Data? {
        switch self {
        case .deferredToData: Data.fromDatabaseValue(value)
        case .custom(let decode): decode(value)
        }
    }
}

/// The strategy that a `Decodable` record uses to read dates.
///
/// `@unchecked Sendable`: `DateFormatter` is documented as thread-safe, but only some platforms
/// declare it as `Sendable`.
public enum DatabaseDateDecodingStrategy: @unchecked Sendable {
    /// Reads the seconds since 1970, or text in a format that `Date` supports.
    case deferredToDate
    /// Reads the seconds since 2001-01-01 00:00:00 UTC.
    case timeIntervalSinceReferenceDate
    /// Reads the seconds since 1970-01-01 00:00:00 UTC.
    case timeIntervalSince1970
    /// Reads the milliseconds since 1970-01-01 00:00:00 UTC.
    case millisecondsSince1970
    /// Reads text such as `2001-01-01T00:00:00Z`.
    case iso8601
    /// Uses a formatter.
    case formatted(DateFormatter)
    /// Calls a closure, and fails if the closure returns `nil`.
    case custom(@Sendable (DatabaseValue) -> Date?)

    var isDeferred: Bool {
        if case .deferredToDate = self { true } else { false }
    }

    func decode(_ value: DatabaseValue) -> Date? {
        switch self {
        case .deferredToDate: Date.fromDatabaseValue(value)
        case .timeIntervalSinceReferenceDate:
            Double.fromDatabaseValue(value).map(Date.init(timeIntervalSinceReferenceDate:))
        case .timeIntervalSince1970:
            Double.fromDatabaseValue(value).map(Date.init(timeIntervalSince1970:))
        case .millisecondsSince1970:
            Double.fromDatabaseValue(value).map { Date(timeIntervalSince1970: $0 / 1000) }
        case .iso8601:
            String.fromDatabaseValue(value).flatMap { try? Date.ISO8601FormatStyle().parse($0) }
        case .formatted(let formatter):
            String.fromDatabaseValue(value).flatMap(formatter.date(from:))
        case .custom(let decode): decode(value)
        }
    }
}

/// The strategy that maps columns to a `Decodable` record's coding keys.
public enum DatabaseColumnDecodingStrategy: Sendable {
    /// Uses column names as keys.
    case useDefaultKeys
    /// Converts column names from snake case: the column `team_id` maps to the key `teamId`, not
    /// `teamID`.
    case convertFromSnakeCase
    /// Calls a closure that returns the key for a column.
    case custom(@Sendable (String) -> any CodingKey)

    /// The function that converts a column to a key, or `nil` if their names are equal.
    var conversion: (@Sendable (String) -> String)? {
        switch self {
        case .useDefaultKeys: nil
        case .convertFromSnakeCase: { SnakeCase.key(of: $0) }
        case .custom(let key): { key($0).stringValue }
        }
    }

    /// Returns the message for a key without a column, or `nil` to use the default message.
    func missingColumnMessage(for key: some CodingKey) -> String? {
        let missing = "key not found: \(key) (\(String(reflecting: key.stringValue)))"
        switch self {
        case .useDefaultKeys: return nil
        case .custom: return missing
        case .convertFromSnakeCase:
            let column = SnakeCase.column(of: key.stringValue)
            let back = SnakeCase.key(of: column)
            let divergence =
                back == key.stringValue ? "" : ", with divergent representation \(back)"
            return "\(missing)\(divergence), converted to \(column)"
        }
    }
}
