import Foundation

/// A calendar time, encoded in JSON as a string such as `2026-11-22T08:54:23.250Z`.
public struct WatchTime: Sendable, Codable, Hashable, Comparable {
    /// The time since 1970, in milliseconds.
    public var milliseconds: Int64

    /// Creates a time.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Returns whether the first time is earlier than the second.
    public static func < (left: WatchTime, right: WatchTime) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The time as ISO 8601 text in UTC.
    public var text: String {
        // Formatting a floating-point fraction may round to a different millisecond.
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let whole = Date(timeIntervalSince1970: Double(rest < 0 ? seconds - 1 : seconds))
        let digits = String(rest < 0 ? rest + 1000 : rest)
        let fraction = String(repeating: "0", count: 3 - digits.count) + digits
        return whole.formatted(Date.ISO8601FormatStyle()).dropLast() + "." + fraction + "Z"
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Decodes ISO 8601 text.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        let date = try Date(text, strategy: Self.style)
        milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
    }

    /// Encodes ISO 8601 text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
