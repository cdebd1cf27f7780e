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

/// Conversions between snake case and camel case.
///
/// The results match those of Foundation's JSON coders, so a type uses the same names for columns
/// and JSON keys.
enum SnakeCase {
    /// Returns the column for a key, such as `my_url_property` for `myURLProperty`.
    static func column(of key: String) -> String {
        let characters = Array(key)
        var column = ""
        for (index, character) in characters.enumerated() {
            if index > 0, character.isUppercase {
                // A word starts at an uppercase letter that follows another kind of character or
                // precedes a lowercase letter.
                let isFirst = !characters[index - 1].isUppercase
                let isLast = index + 1 < characters.count && characters[index + 1].isLowercase
                if isFirst || isLast, characters[index - 1] != "_" { column += "_" }
            }
            column += character.lowercased()
        }
        return column
    }

    /// Returns the key for a column, such as `myUrlProperty` for `my_url_property`.
    ///
    /// This method preserves leading and trailing underscores. It returns a single word unchanged,
    /// because the word may already contain uppercase letters.
    static func key(of column: String) -> String {
        let leading = column.prefix { $0 == "_" }
        let rest = column.dropFirst(leading.count)
        let trailing = rest.reversed().prefix { $0 == "_" }.count
        let words = rest.dropLast(trailing).split(separator: "_")
        guard words.count > 1 else { return column }
        let others = words.dropFirst().map {
            $0.prefix(1).uppercased() + $0.dropFirst().lowercased()
        }
        return leading + words[0].lowercased() + others.joined()
            + String(repeating: "_", count: trailing)
    }
}
