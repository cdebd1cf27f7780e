import Foundation

// Indexes and column definitions in a database file contain these collation names. GRDB uses the
// same names, so both libraries can open the same file.

extension DatabaseFunction {
    /// The function `swiftCapitalizedString(text)`, which capitalizes each word.
    public static let capitalize = transform("swiftCapitalizedString") { $0.capitalized }

    /// The function `swiftLowercaseString(text)`, which also converts non-ASCII letters to
    /// lowercase.
    public static let lowercase = transform("swiftLowercaseString") { $0.lowercased() }

    /// The function `swiftUppercaseString(text)`, which also converts non-ASCII letters to
    /// uppercase.
    public static let uppercase = transform("swiftUppercaseString") { $0.uppercased() }

    /// The function `swiftLocalizedCapitalizedString(text)`, which capitalizes each word according
    /// to the current locale.
    public static let localizedCapitalize = transform("swiftLocalizedCapitalizedString") {
        $0.localizedCapitalized
    }

    /// The function `swiftLocalizedLowercaseString(text)`, which converts text to lowercase
    /// according to the current locale.
    public static let localizedLowercase = transform("swiftLocalizedLowercaseString") {
        $0.localizedLowercase
    }

    /// The function `swiftLocalizedUppercaseString(text)`, which converts text to uppercase
    /// according to the current locale.
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
    /// The collation `swiftCompare`, which uses the order of Swift strings.
    ///
    /// This order is based on Unicode canonical equivalence.
    public static let unicodeCompare = DatabaseCollation("swiftCompare") { left, right in
        left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    }

    /// The collation `swiftCaseInsensitiveCompare`, which ignores case.
    public static let caseInsensitiveCompare = DatabaseCollation("swiftCaseInsensitiveCompare") {
        $0.caseInsensitiveCompare($1)
    }

    /// The collation `swiftLocalizedCaseInsensitiveCompare`, which uses the order of the current
    /// locale and ignores case.
    public static let localizedCaseInsensitiveCompare = DatabaseCollation(
        "swiftLocalizedCaseInsensitiveCompare"
    ) {
        $0.localizedCaseInsensitiveCompare($1)
    }

    /// The collation `swiftLocalizedCompare`, which uses the order of the current locale.
    public static let localizedCompare = DatabaseCollation("swiftLocalizedCompare") {
        $0.localizedCompare($1)
    }

    /// The collation `swiftLocalizedStandardCompare`, which uses the order of the current locale
    /// and sorts numbers by value.
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
