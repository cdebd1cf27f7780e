import Foundation

/// How an `Encodable` record writes its `Data`.
public enum DatabaseDataEncodingStrategy: Sendable {
    /// As a blob.
    case deferredToData
    /// As the text that its bytes are in UTF-8; other bytes are an error.
    case text
    /// As a closure says; nil is NULL.
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
                        debugDescription: "the data is no text in UTF-8"
                    )
                )
            }
            return text.databaseValue
        case .custom(let encode): return encode(data)?.databaseValue ?? .null
        }
    }
}

/// How an `Encodable` record writes its dates.
///
/// `@unchecked Sendable`: for `DateFormatter` alone, whose documentation says that threads may
/// share it, and whose declaration does not say so everywhere.
public enum DatabaseDateEncodingStrategy: @unchecked Sendable {
    /// As `Date` itself: `YYYY-MM-DD HH:MM:SS.SSS`, in UTC.
    case deferredToDate
    /// As the seconds since 2001-01-01 00:00:00 UTC, with their fraction.
    case timeIntervalSinceReferenceDate
    /// As the seconds since 1970-01-01 00:00:00 UTC, with their fraction.
    case timeIntervalSince1970
    /// As the whole seconds since 1970-01-01 00:00:00 UTC.
    case secondsSince1970
    /// As the whole milliseconds since 1970-01-01 00:00:00 UTC.
    case millisecondsSince1970
    /// As a text such as `2001-01-01T00:00:00Z`, without fractions of seconds.
    case iso8601
    /// As a formatter says.
    case formatted(DateFormatter)
    /// As a closure says; nil is NULL.
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

/// How an `Encodable` record writes its UUIDs.
public enum DatabaseUUIDEncodingStrategy: Hashable, Sendable {
    /// As a blob of 16 bytes.
    case deferredToUUID
    /// As a text in capitals.
    case uppercaseString
    /// As a text in small letters.
    case lowercaseString

    func encode(_ uuid: UUID) -> DatabaseValue {
        switch self {
        case .deferredToUUID: uuid.databaseValue
        case .uppercaseString: uuid.uuidString.databaseValue
        case .lowercaseString: uuid.uuidString.lowercased().databaseValue
        }
    }
}

/// Which columns an `Encodable` record writes its coding keys to.
public enum DatabaseColumnEncodingStrategy: Sendable {
    /// Columns of the keys' names.
    case useDefaultKeys
    /// `team_id` for `teamId` and `teamID`.
    case convertToSnakeCase
    /// The columns that a closure names.
    case custom(@Sendable (any CodingKey) -> String)

    /// What names the column of a key; nil where it has the key's name.
    var conversion: (@Sendable (any CodingKey) -> String)? {
        switch self {
        case .useDefaultKeys: nil
        case .convertToSnakeCase: { SnakeCase.column(of: $0.stringValue) }
        case .custom(let column): column
        }
    }
}
