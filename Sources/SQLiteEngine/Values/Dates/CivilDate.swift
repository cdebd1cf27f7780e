/// Calculations with days in the proleptic Gregorian calendar in UTC, which SQLite uses.
///
/// For the algorithms, see <https://howardhinnant.github.io/date_algorithms.html>. Years start in
/// March, so the leap day is the last day of its year. The calendar repeats every 400 years.
enum CivilDate {
    private static let daysPerEra = 146_097

    /// Returns the number of days from 1970-01-01 to a date.
    ///
    /// The month and the day can exceed their usual ranges.
    static func days(year: Int, month: Int, day: Int) -> Int {
        let monthsFromMarch = year * 12 + month - 3
        let marchYear = floorDivide(monthsFromMarch, 12)
        let monthFromMarch = monthsFromMarch - marchYear * 12
        let era = floorDivide(marchYear, 400)
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * daysPerEra + dayOfEra - 719_468
    }

    static func date(days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, daysPerEra)
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

    static func floorDivide(_ dividend: Int, _ divisor: Int) -> Int {
        let quotient = dividend / divisor
        return dividend % divisor < 0 ? quotient - 1 : quotient
    }
}
