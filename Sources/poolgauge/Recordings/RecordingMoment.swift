import Findings
import Foundation
import SQLiteWatch
import WorkloadEngine

/// A time in a recording: an offset, a time of day, or a date with a time.
enum RecordingMoment: Equatable {
    /// A time after the start of the recording, in milliseconds.
    case offset(Int64)
    /// A time before the end of the recording, in milliseconds.
    case beforeEnd(Int64)
    /// A local time of day, in seconds since midnight.
    case clock(Int)
    /// A time in milliseconds since 1970.
    case absolute(Int64)

    /// Parses text such as `10m`, `90`, `-5m`, `02:13`, `02:13:05`, or an ISO 8601 time.
    ///
    /// Returns `nil` for other text.
    init?(_ text: String) {
        let text = text.filter { $0 != " " }
        if let offset = Self.milliseconds(of: text) {
            self = .offset(offset)
        } else if ["-", "−"].contains(text.first),
            let offset = Self.milliseconds(of: String(text.dropFirst()))
        {
            self = .beforeEnd(offset)
        } else if let seconds = Self.secondsOfDay(text) {
            self = .clock(seconds)
        } else if let time = Self.isoTime(text) {
            self = .absolute(time)
        } else {
            return nil
        }
    }

    /// The accepted forms, for help and error messages.
    static let forms =
        "10m or 90s (after the start), -5m (before the end), 02:13 or 02:13:05 (local time), or "
        + "2026-11-26T02:13:00Z"

    /// Returns the time in milliseconds since 1970, for a recording from `start` to `end`.
    ///
    /// A time of day refers to its first occurrence at or after the start. If that occurrence is
    /// after the end of the recording, the time refers to the day on which the recording starts.
    func milliseconds(from start: Int64, to end: Int64, timeZone: TimeZone = .current) -> Int64 {
        switch self {
        case .offset(let offset): return start + offset
        case .beforeEnd(let offset): return end - offset
        case .absolute(let time): return time
        case .clock(let seconds):
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = timeZone
            let date = Date(timeIntervalSince1970: Double(start) / 1000)
            let midnight = calendar.startOfDay(for: date)
            let today = Int64(midnight.timeIntervalSince1970) * 1000 + Int64(seconds) * 1000
            let tomorrow = today + 86_400_000
            // The recording may start within the specified minute.
            return today >= start - 60_000 || tomorrow > end ? today : tomorrow
        }
    }

    private static func milliseconds(of text: String) -> Int64? {
        if let seconds = Double(text), seconds >= 0, seconds < 1e9 { return Int64(seconds * 1000) }
        guard text.first?.isNumber == true, let duration = try? Quantity.duration(text) else {
            return nil
        }
        return Int64(duration.wholeNanoseconds / 1_000_000)
    }

    private static func secondsOfDay(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count) else { return nil }
        let numbers = parts.compactMap { $0.count <= 2 ? Int($0) : nil }
        guard numbers.count == parts.count, (0..<24).contains(numbers[0]),
            numbers.dropFirst().allSatisfy({ (0..<60).contains($0) })
        else { return nil }
        return numbers[0] * 3600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
    }

    private static func isoTime(_ text: String) -> Int64? {
        let styles = [
            Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true),
        ]
        for candidate in [text, text + "Z"] {
            for style in styles {
                if let date = try? Date(candidate, strategy: style) {
                    return Int64((date.timeIntervalSince1970 * 1000).rounded())
                }
            }
        }
        return nil
    }
}

/// A formatter for times in the local time zone.
enum LocalTime {
    /// Returns text such as `2026-11-26 02:13:05`.
    static func text(_ time: WatchTime, timeZone: TimeZone = .current) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second],
            from: date
        )
        func twoDigits(_ number: Int?) -> String {
            ((number ?? 0) < 10 ? "0" : "") + "\(number ?? 0)"
        }
        return "\(parts.year ?? 0)-\(twoDigits(parts.month))-\(twoDigits(parts.day)) "
            + "\(twoDigits(parts.hour)):\(twoDigits(parts.minute)):\(twoDigits(parts.second))"
    }
}
