import Foundation

// Indexes and column definitions in a database file contain these collation names. GRDB uses the
// same names, so both libraries can open the same file.

extension DatabaseFunction {
    /// `swiftCapitalizedString(text)`: capitalizes each word.
    public static let capitalize = transform("swiftCapitalizedString") { $0.capitalized }

    /// `swiftLowercaseString(text)`: converts to lowercase, including non-ASCII letters.
    public static let lowercase = transform("swiftLowercaseString") { $0.lowercased() }

    /// `swiftUppercaseString(text)`: converts to uppercase, including non-ASCII letters.
    public static let uppercase = transform("swiftUppercaseString") { $0.uppercased() }

    /// `swiftLocalizedCapitalizedString(text)`: capitalizes each word by the rules of the current
    /// locale.
    public static let localizedCapitalize = transform("swiftLocalizedCapitalizedString") {
        $0.localizedCapitalized
    }

    /// `swiftLocalizedLowercaseString(text)`: converts to lowercase by the rules of the current
    /// locale.
    public static let localizedLowercase = transform("swiftLocalizedLowercaseString") {
        $0.localizedLowercase
    }

    /// `swiftLocalizedUppercaseString(text)`: converts to uppercase by the rules of the current
    /// locale.
    public static let localizedUppercase = transform("swiftLocalizedUppercaseString") {
        $0.localizedUppercase
    }

    static let predefined = [
        capitalize, lowercase, uppercase, localizedCapitalize, localizedLowercase,
        localizedUppercase,
    ]

    private static func transform(
        _ name: String,
        _ transform: @escaping @Sendable (String) -> String
    ) -> DatabaseFunction {
        DatabaseFunction(name, argumentCount: 1, pure: true) { values in
            String.fromDatabaseValue(values[0]).map(transform)
        }
    }
}

extension DatabaseCollation {
    /// `swiftCompare`: compares in the order of Swift strings, by Unicode canonical equivalence.
    public static let unicodeCompare = DatabaseCollation("swiftCompare") { left, right in
        left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    }

    /// `swiftCaseInsensitiveCompare`: compares ignoring case.
    public static let caseInsensitiveCompare = DatabaseCollation("swiftCaseInsensitiveCompare") {
        $0.caseInsensitiveCompare($1)
    }

    /// `swiftLocalizedCaseInsensitiveCompare`: compares by the rules of the current locale,
    /// ignoring case.
    public static let localizedCaseInsensitiveCompare = DatabaseCollation(
        "swiftLocalizedCaseInsensitiveCompare"
    ) {
        $0.localizedCaseInsensitiveCompare($1)
    }

    /// `swiftLocalizedCompare`: compares by the rules of the current locale.
    public static let localizedCompare = DatabaseCollation("swiftLocalizedCompare") {
        $0.localizedCompare($1)
    }

    /// `swiftLocalizedStandardCompare`: compares by the rules of the current locale, with numbers
    /// in numeric order.
    public static let localizedStandardCompare = DatabaseCollation(
        "swiftLocalizedStandardCompare"
    ) {
        $0.localizedStandardCompare($1)
    }

    static let predefined = [
        unicodeCompare, caseInsensitiveCompare, localizedCaseInsensitiveCompare, localizedCompare,
        localizedStandardCompare,
    ]
}
