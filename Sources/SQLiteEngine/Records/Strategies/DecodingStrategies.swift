import Foundation

/// How a `Decodable` record reads its `Data`.
public enum DatabaseDataDecodingStrategy: Sendable {
    /// From blobs and texts.
    case deferredToData
    /// As a closure says; nil is an error.
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

/// How a `Decodable` record reads its dates.
///
/// `@unchecked Sendable`: for `DateFormatter` alone, whose documentation says that threads may
/// share it, and whose declaration does not say so everywhere.
public enum DatabaseDateDecodingStrategy: @unchecked Sendable {
    /// From the texts that `Date` reads, and from seconds since 1970.
    case deferredToDate
    /// From the seconds since 2001-01-01 00:00:00 UTC.
    case timeIntervalSinceReferenceDate
    /// From the seconds since 1970-01-01 00:00:00 UTC.
    case timeIntervalSince1970
    /// From the milliseconds since 1970-01-01 00:00:00 UTC.
    case millisecondsSince1970
    /// From texts such as `2001-01-01T00:00:00Z`.
    case iso8601
    /// As a formatter says.
    case formatted(DateFormatter)
    /// As a closure says; nil is an error.
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

/// Which columns a `Decodable` record reads its coding keys from.
public enum DatabaseColumnDecodingStrategy: Sendable {
    /// Columns of the keys' names.
    case useDefaultKeys
    /// `team_id` for `teamId`; there is none for `teamID`.
    case convertFromSnakeCase
    /// The columns for which a closure gives the key.
    case custom(@Sendable (String) -> any CodingKey)

    /// What gives the key of a column; nil where it has the column's name.
    var conversion: (@Sendable (String) -> String)? {
        switch self {
        case .useDefaultKeys: nil
        case .convertFromSnakeCase: { SnakeCase.key(of: $0) }
        case .custom(let key): { key($0).stringValue }
        }
    }

    /// What is said of a key that no column has.
    func missing(_ key: some CodingKey) -> String? {
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
