import Foundation

/// A type whose values come from rows.
///
/// A `Decodable` type need not say how: its coding keys are the names of the columns, and what is
/// neither a column's value nor a row adapter's scope is decoded from JSON.
public protocol FetchableRecord {
    /// Creates a record from a row.
    ///
    /// A row of a cursor holds for the time of the call: keep values, or a copy of the row.
    init(row: borrowing Row) throws

    /// What a `Decodable` record's decoder gives as its `userInfo`; empty by default.
    static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// The decoder of a column that is stored as JSON.
    static func databaseJSONDecoder(for column: String) -> JSONDecoder

    /// How a `Decodable` record reads `Data` from a column; as it is by default.
    static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy

    /// How a `Decodable` record reads a date from a column; as `Date` does by default.
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy

    /// Which columns a `Decodable` record reads its coding keys from; those of their names by
    /// default.
    static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }
}

extension FetchableRecord {
    /// Nothing.
    public static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [:] }

    /// A decoder of Base64 data and of dates in milliseconds since 1970.
    public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dataDecodingStrategy = .base64
        decoder.dateDecodingStrategy = .millisecondsSince1970
        decoder.nonConformingFloatDecodingStrategy = .throw
        decoder.userInfo = forJSON(databaseDecodingUserInfo)
        return decoder
    }

    /// As it is.
    public static func databaseDataDecodingStrategy(
        for column: String
    ) -> DatabaseDataDecodingStrategy { .deferredToData }

    /// As `Date` does.
    public static func databaseDateDecodingStrategy(
        for column: String
    ) -> DatabaseDateDecodingStrategy { .deferredToDate }

    /// The names of the keys.
    public static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
        .useDefaultKeys
    }
}

extension FetchableRecord where Self: Decodable {
    /// Decodes a record from the columns of a row.
    @inlinable
    public init(row: borrowing Row) throws {
        try self.init(from: LentDecoder.decoder(of: row, for: Self.self))
    }
}

/// Decodes records from rows.
public class FetchableRecordDecoder {
    /// Creates a decoder.
    public init() {}

    /// Decodes a record from the columns of a row.
    ///
    /// It is for types that decode themselves in a way of their own, and then go on:
    /// `self = try FetchableRecordDecoder().decode(Self.self, from: row)`.
    public func decode<T: FetchableRecord & Decodable>(
        _ type: T.Type,
        from row: Row
    ) throws -> T {
        try T(from: LentDecoder.decoder(of: row, for: type))
    }
}

/// The `userInfo` of records, as Foundation's JSON coders take it.
///
/// They want `Sendable` values since Swift 6, which `Decoder` itself does not ask for. The coder
/// that gets them is made for one value, and used by the thread that made it. `Sendable` leaves no
/// trace in a type's layout.
func forJSON(_ userInfo: [CodingUserInfoKey: Any]) -> [CodingUserInfoKey: any Sendable] {
    userInfo.isEmpty ? [:] : unsafeBitCast(userInfo, to: [CodingUserInfoKey: any Sendable].self)
}
