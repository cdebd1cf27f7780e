import Foundation

/// URLs are stored as text.
extension URL: DatabaseValueConvertible {
    /// The absolute URL as text.
    public var databaseValue: DatabaseValue { absoluteString.databaseValue }

    /// Creates a URL from text.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> URL? {
        String.fromDatabaseValue(dbValue).flatMap(URL.init(string:))
    }
}

extension NSURL: DatabaseValueConvertible {
    /// The absolute URL as text.
    public var databaseValue: DatabaseValue {
        // The string is optional only on Apple platforms.
        (absoluteString as String?).databaseValue
    }

    /// Creates a URL from text.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        URL.fromDatabaseValue(dbValue) as? Self
    }
}
