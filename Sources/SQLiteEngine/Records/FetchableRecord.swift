import Foundation

/// A type that can be created from rows.
///
/// A type that conforms to `Decodable` has a default implementation: the coding keys are the column
/// names, and properties that are neither column values nor scopes of a row adapter are decoded
/// from JSON.
public protocol FetchableRecord {
    /// Creates a record from a row.
    ///
    /// The row may belong to a cursor and is valid only during the call. To keep its data, copy the
    /// values or the row.
    init(row: borrowing Row) throws

    /// The `userInfo` dictionary for the decoder of a `Decodable` record.
    ///
    /// Defaults to an empty dictionary.
    static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// Returns the decoder for a column that is stored as JSON.
    static func databaseJSONDecoder(for column: String) -> JSONDecoder

    /// Returns the strategy for decoding `Data` from a column.
    ///
    /// Defaults to ``DatabaseDataDecodingStrategy/deferredToData``.
    static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy

    /// Returns the strategy for decoding dates from a column.
    ///
    /// Defaults to ``DatabaseDateDecodingStrategy/deferredToDate``.
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy

    /// The strategy for mapping columns to coding keys.
    ///
    /// By default, columns and keys have the same names.
    static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }
}

extension FetchableRecord {
    /// An empty dictionary.
    public static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [:] }

    /// Returns a decoder that reads data as Base64 and dates as milliseconds since 1970.
    public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
        .forDatabase(userInfo: databaseDecodingUserInfo)
    }

    /// Returns ``DatabaseDataDecodingStrategy/deferredToData``.
    public static func databaseDataDecodingStrategy(
        for column: String
    ) -> DatabaseDataDecodingStrategy { .deferredToData }

    /// Returns ``DatabaseDateDecodingStrategy/deferredToDate``.
    public static func databaseDateDecodingStrategy(
        for column: String
    ) -> DatabaseDateDecodingStrategy { .deferredToDate }

    /// The strategy that uses the column names as key names.
    public static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
        .useDefaultKeys
    }
}

extension FetchableRecord where Self: Decodable {
    /// Decodes a record from the columns of a row.
    @inlinable
    public init(row: borrowing Row) throws {
        try self.init(from: BorrowedDecoder.decoder(of: row, for: Self.self))
    }
}

/// A decoder that creates records from rows.
public class FetchableRecordDecoder {
    /// Creates a decoder.
    public init() {}

    /// Decodes a record from the columns of a row.
    ///
    /// To perform the default decoding first in a custom initializer, write
    /// `self = try FetchableRecordDecoder().decode(Self.self, from: row)`.
    public func decode<T: FetchableRecord & Decodable>(
        _ type: T.Type,
        from row: Row
    ) throws -> T {
        try T(from: BorrowedDecoder.decoder(of: row, for: type))
    }
}
