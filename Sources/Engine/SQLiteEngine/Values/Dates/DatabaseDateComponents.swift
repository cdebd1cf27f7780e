import CSQLite
import Foundation

/// Date components in one of the text formats that SQLite's date functions read.
///
/// See <https://www.sqlite.org/lang_datefunc.html#time_values>.
public struct DatabaseDateComponents: Sendable {
    /// A text format.
    public enum Format: String, Sendable {
        /// `2026-11-21`
        case YMD = "yyyy-MM-dd"
        /// `2026-11-21 09:30`
        case YMD_HM = "yyyy-MM-dd HH:mm"
        /// `2026-11-21 09:30:15`
        case YMD_HMS = "yyyy-MM-dd HH:mm:ss"
        /// `2026-11-21 09:30:15.250`
        case YMD_HMSS = "yyyy-MM-dd HH:mm:ss.SSS"
        /// `09:30`
        case HM = "HH:mm"
        /// `09:30:15`
        case HMS = "HH:mm:ss"
        /// `09:30:15.250`
        case HMSS = "HH:mm:ss.SSS"

        var hasDate: Bool { rawValue.hasPrefix("yyyy") }
    }

    /// The components.
    public let dateComponents: DateComponents

    /// The format of the text.
    public let format: Format

    /// Creates components for a text format.
    ///
    /// In the text, a missing month or day is 1, and any other missing component is 0.
    public init(_ dateComponents: DateComponents, format: Format) {
        self.dateComponents = dateComponents
        self.format = format
    }

    var text: String {
        var text = ""
        if format.hasDate {
            text += Self.pad(dateComponents.year ?? 0, width: 4)
            text += "-" + Self.pad(dateComponents.month ?? 1, width: 2)
            text += "-" + Self.pad(dateComponents.day ?? 1, width: 2)
            if format == .YMD { return text }
            text += " "
        }
        text += Self.pad(dateComponents.hour ?? 0, width: 2)
        text += ":" + Self.pad(dateComponents.minute ?? 0, width: 2)
        if format == .HM || format == .YMD_HM { return text }
        text += ":" + Self.pad(dateComponents.second ?? 0, width: 2)
        if format == .HMS || format == .YMD_HMS { return text }
        let milliseconds = (Double(dateComponents.nanosecond ?? 0) / 1e6).rounded()
        return text + "." + Self.pad(Int(milliseconds), width: 3)
    }

    private static func pad(_ number: Int, width: Int) -> String {
        let digits = String(number.magnitude)
        let zeros = String(repeating: "0", count: max(0, width - digits.count))
        return (number < 0 ? "-" : "") + zeros + digits
    }
}

extension DatabaseDateComponents: DatabaseValueConvertible, StatementColumnConvertible {
    /// The text.
    public var databaseValue: DatabaseValue { text.databaseValue }

    /// Creates components from text in one of the formats.
    ///
    /// A space or a `T` can separate the date from the time, and a time zone can follow the time.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseDateComponents? {
        guard var text = String.fromDatabaseValue(dbValue) else { return nil }
        return text.withUTF8(DateTextParser.parse)
    }

    /// Creates components from a column that contains text in one of the formats.
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let text = sqlite3_column_text(sqliteStatement, index)
        let count = Int(sqlite3_column_bytes(sqliteStatement, index))
        let bytes = UnsafeBufferPointer(start: text, count: text == nil ? 0 : count)
        guard let components = DateTextParser.parse(bytes) else { return nil }
        self = components
    }
}

extension DatabaseDateComponents: Codable {
    /// Decodes the text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let components = Self.fromDatabaseValue(text.databaseValue) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "\(String(reflecting: text)) is not a date or time"
            )
        }
        self = components
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// A parser for text in the formats of ``DatabaseDateComponents/Format``.
struct DateTextParser {
    private var bytes: UnsafeBufferPointer<UInt8>.SubSequence
    private var components = DateComponents()

    /// Parses a date, a time, or both, or returns `nil` for any other text.
    static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> DatabaseDateComponents? {
        var parser = DateTextParser(bytes: bytes[...])
        guard let format = parser.parseFormat(), parser.bytes.isEmpty else { return nil }
        return DatabaseDateComponents(parser.components, format: format)
    }

    private init(bytes: UnsafeBufferPointer<UInt8>.SubSequence) {
        self.bytes = bytes
    }

    private mutating func parseFormat() -> DatabaseDateComponents.Format? {
        let isDate = bytes.count > 4 && bytes[bytes.startIndex + 4] == UInt8(ascii: "-")
        guard isDate else { return parseTime() }
        guard let year = readNumber(4), skip("-"), let month = readNumber(2), skip("-"),
            let day = readNumber(2)
        else { return nil }
        components.year = year
        components.month = month
        components.day = day
        if bytes.isEmpty { return .YMD }
        guard skip(" ") || skip("T") else { return nil }
        return switch parseTime() {
        case .HM: .YMD_HM
        case .HMS: .YMD_HMS
        case .HMSS: .YMD_HMSS
        default: nil
        }
    }

    private mutating func parseTime() -> DatabaseDateComponents.Format? {
        guard let hour = readNumber(2), skip(":"), let minute = readNumber(2) else { return nil }
        components.hour = hour
        components.minute = minute
        if endsWithZone() { return .HM }
        guard skip(":"), let second = readNumber(2) else { return nil }
        components.second = second
        if endsWithZone() { return .HMS }
        guard skip("."), var digit = readDigit() else { return nil }
        // The first three digits are milliseconds. Ignore all other digits.
        var unit = 100_000_000
        var nanosecond = 0
        while true {
            if unit >= 1_000_000 { nanosecond += digit * unit }
            unit /= 10
            guard let next = self.readDigit() else { break }
            digit = next
        }
        components.nanosecond = nanosecond
        return endsWithZone() ? .HMSS : nil
    }

    /// Reads an optional time zone.
    ///
    /// - Returns: Whether the end of the text follows.
    private mutating func endsWithZone() -> Bool {
        if bytes.isEmpty { return true }
        if skip("Z") {
            components.timeZone = TimeZone(secondsFromGMT: 0)
            return bytes.isEmpty
        }
        let start = bytes
        let sign = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = readNumber(2), skip(":"), let minutes = readNumber(2) else {
            bytes = start
            return false
        }
        components.timeZone = TimeZone(secondsFromGMT: sign * (hours * 3600 + minutes * 60))
        return bytes.isEmpty
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard bytes.first == UInt8(ascii: character) else { return false }
        bytes.removeFirst()
        return true
    }

    private mutating func readDigit() -> Int? {
        guard let byte = bytes.first, (0x30...0x39).contains(byte) else { return nil }
        bytes.removeFirst()
        return Int(byte) - 0x30
    }

    private mutating func readNumber(_ digits: Int) -> Int? {
        var number = 0
        for _ in 0..<digits {
            guard let digit = readDigit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }
}
