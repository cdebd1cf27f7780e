import CSQLite
import Foundation

/// Dates are stored as text in UTC with milliseconds: `2026-11-21 09:30:15.250`.
///
/// The text sorts in chronological order, and SQLite's date functions can read it.
extension Date: DatabaseValueConvertible, StatementColumnConvertible {
    /// The text, rounded to the nearest millisecond.
    ///
    /// For a date outside the years 0 to 9999, the value is the number of seconds since 1970.
    public var databaseValue: DatabaseValue {
        // The same operations in the same order as in Foundation's formatter with milliseconds,
        // which GRDB uses, so that both store the same text for every date.
        let interval = timeIntervalSinceReferenceDate + Date.timeIntervalBetween1970AndReferenceDate
        let milliseconds = (interval * 1000 + 0.5).rounded(.down)
        guard milliseconds >= Self.year0, milliseconds < Self.year10000 else {
            return timeIntervalSince1970.databaseValue
        }
        let total = Int(milliseconds)
        let days = CivilDate.floorDivide(total, by: 86_400_000)
        let date = CivilDate.date(days: days)
        return Self.text(date, millisecondOfDay: total - days * 86_400_000).databaseValue
    }

    /// Creates a date from text in a format that contains a date, or from the seconds since 1970.
    ///
    /// The text is in UTC unless it contains another time zone.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Date? {
        if let components = DatabaseDateComponents.fromDatabaseValue(dbValue) {
            return Date(components)
        }
        return Double.fromDatabaseValue(dbValue).map(Date.init(timeIntervalSince1970:))
    }

    /// Creates a date from a column that contains text with a date, or the seconds since 1970.
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let value = sqlite3_column_value(sqliteStatement, index)
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER, SQLITE_FLOAT:
            self.init(timeIntervalSince1970: sqlite3_value_double(value))
        case SQLITE_TEXT:
            if let date = Date(storedIn: value) {
                self = date
                return
            }
            guard
                let components = DatabaseDateComponents(
                    sqliteStatement: sqliteStatement,
                    index: index
                ),
                let date = Date(components)
            else { return nil }
            self = date
        default:
            return nil
        }
    }

    /// Creates a date from text such as `2026-11-21 09:30:15.250`, or returns `nil` for other
    /// formats.
    ///
    /// Dates are stored in this format. This initializer is ten times as fast as conversion through
    /// date components.
    private init?(storedIn value: OpaquePointer?) {
        guard let text = sqlite3_value_text(value), sqlite3_value_bytes(value) == 23,
            text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: " "), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"), text[19] == UInt8(ascii: ".")
        else { return nil }
        var largest: UInt8 = 0
        func number(_ range: Range<Int>) -> UInt32 {
            var number: UInt32 = 0
            for position in range {
                let digit = text[position] &- UInt8(ascii: "0")
                largest = max(largest, digit)
                number = number &* 10 &+ UInt32(digit)
            }
            return number
        }
        let days = CivilDate.days(year: number(0..<4), month: number(5..<7), day: number(8..<10))
        let seconds = number(11..<13) &* 3600 &+ number(14..<16) &* 60 &+ number(17..<19)
        let nanoseconds = number(20..<23) &* 1_000_000
        guard largest < 10 else { return nil }
        self.init(seconds: days * 86_400 + Int(seconds), nanoseconds: Int(nanoseconds))
    }

    /// Creates a date from the time since 1970.
    private init(seconds: Int, nanoseconds: Int) {
        let whole = Double(seconds - Self.referenceSeconds)
        self.init(timeIntervalSinceReferenceDate: whole + Double(nanoseconds) / 1e9)
    }

    /// Creates a date from a Julian day, or returns `nil` if the date is out of range.
    ///
    /// A Julian day, such as the result of SQLite's `julianday`, is the number of days since noon
    /// in Greenwich on November 24, 4714 BC. The result is rounded down to the millisecond. SQLite
    /// does not support dates after the year 9999.
    public init?(julianDay: Double) {
        guard (0..<5_373_484.5).contains(julianDay) else { return nil }
        let milliseconds = (julianDay * 86_400_000).rounded(.down)
        self.init(timeIntervalSince1970: (milliseconds - 210_866_760_000_000) / 1000)
    }

    /// Creates a date from components, or returns `nil` if the components contain only a time.
    init?(_ components: DatabaseDateComponents) {
        let parts = components.dateComponents
        guard components.format.hasDate, let year = parts.year, let month = parts.month,
            let day = parts.day
        else { return nil }
        let days = CivilDate.days(year: UInt32(year), month: UInt32(month), day: UInt32(day))
        let seconds = (parts.hour ?? 0) * 3600 + (parts.minute ?? 0) * 60 + (parts.second ?? 0)
        let offset = parts.timeZone?.secondsFromGMT() ?? 0
        self.init(seconds: days * 86_400 + seconds - offset, nanoseconds: parts.nanosecond ?? 0)
    }

    /// The number of seconds from 1970 to Foundation's reference date in 2001.
    private static let referenceSeconds = 978_307_200

    /// The starts of the years 0 and 10000, in milliseconds relative to 1970.
    private static let year0 = milliseconds(toYear: 0)
    private static let year10000 = milliseconds(toYear: 10_000)

    private static func milliseconds(toYear year: UInt32) -> Double {
        Double(CivilDate.days(year: year, month: 1, day: 1) * 86_400_000)
    }

    private static func text(
        _ date: (year: Int, month: Int, day: Int),
        millisecondOfDay: Int
    ) -> String {
        String(unsafeUninitializedCapacity: 23) { bytes in
            var count = 0
            func put(_ number: Int, _ digits: Int, _ separator: UInt8?) {
                var rest = number
                for position in (0..<digits).reversed() {
                    bytes[count + position] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
                count += digits
                if let separator {
                    bytes[count] = separator
                    count += 1
                }
            }
            put(date.year, 4, UInt8(ascii: "-"))
            put(date.month, 2, UInt8(ascii: "-"))
            put(date.day, 2, UInt8(ascii: " "))
            put(millisecondOfDay / 3_600_000, 2, UInt8(ascii: ":"))
            put(millisecondOfDay / 60_000 % 60, 2, UInt8(ascii: ":"))
            put(millisecondOfDay / 1000 % 60, 2, UInt8(ascii: "."))
            put(millisecondOfDay % 1000, 3, nil)
            return count
        }
    }
}

extension NSDate: DatabaseValueConvertible {
    /// The database value of the corresponding `Date`.
    public var databaseValue: DatabaseValue { (self as Date).databaseValue }

    /// Creates a date from any value that `Date` accepts.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        Date.fromDatabaseValue(dbValue) as? Self
    }
}

/// Calculations with days in the proleptic Gregorian calendar in UTC, which SQLite uses.
///
/// For the algorithms, see <https://howardhinnant.github.io/date_algorithms.html>. Years start in
/// March, so the leap day is the last day of its year. The calendar repeats every 400 years.
enum CivilDate {
    private static let daysPerEra = 146_097

    /// Returns the number of days from 1970-01-01 to a date with a year of four digits.
    ///
    /// The month and the day can exceed their usual ranges. Divisions of unsigned numbers of 32 bits
    /// take one multiplication each. The year is moved by one era, so that no number is negative.
    static func days(year: UInt32, month: UInt32, day: UInt32) -> Int {
        let monthsFromMarch = year &* 12 &+ month &+ (4_800 - 3)
        let marchYear = monthsFromMarch / 12
        let monthFromMarch = monthsFromMarch &- marchYear &* 12
        let era = marchYear / 400
        let yearOfEra = marchYear &- era &* 400
        let dayOfYear = (153 &* monthFromMarch &+ 2) / 5 &+ day
        let dayOfEra = yearOfEra &* 365 &+ yearOfEra / 4 &- yearOfEra / 100 &+ dayOfYear
        return Int(era) * daysPerEra + Int(dayOfEra) - (daysPerEra + 719_468 + 1)
    }

    static func date(days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, by: daysPerEra)
        let dayOfEra = shifted - era * daysPerEra
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0),
            month: month,
            day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    static func floorDivide(_ dividend: Int, by divisor: Int) -> Int {
        let quotient = dividend / divisor
        return dividend % divisor < 0 ? quotient - 1 : quotient
    }
}
