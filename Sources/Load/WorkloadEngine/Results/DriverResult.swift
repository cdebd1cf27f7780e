import Foundation
import Telemetry
import Text

/// A driver, and what its protocol costs.
public struct DriverResult: Sendable, Codable, Equatable {
    /// The name of the built-in driver, or the command.
    public var name: String
    /// The versions that the driver reports, such as `Python 3.11.2`, or `nil` if unknown.
    public var runtime: String?
    /// The version of SQLite that the driver uses, or `nil` if unknown.
    public var sqlite: String?
    /// The time to send one access and its answer, without the access, in nanoseconds.
    ///
    /// Response and wait times do not include it, except for its variation.
    public var roundTrip: Interval
    /// The time that the driver needs for an access of a batch, without the access, in nanoseconds.
    public var perAccess: Interval
    /// The share of the driver's time that the protocol used, from 0 to 1.
    public var share: Interval
    /// The throughput of each client without think time, without the time for the protocol, keyed
    /// by name.
    ///
    /// The client's throughput includes this time.
    public var throughput: [String: Interval]?
    /// The reasons that clients used libsqlite3 in Poolgauge's process instead of the driver, keyed
    /// by name, or `nil` if there were none.
    public var elsewhere: [String: String]?

    /// An interval of measured values.
    public struct Interval: Sendable, Codable, Equatable {
        /// The lower end.
        public var low: Double
        /// The upper end.
        public var high: Double
    }

    /// The share of the protocol above which a run is invalid.
    static let maximumShare = 0.25

    /// The reason that the cost of the protocol makes a run invalid, or `nil` if there is none.
    var invalidReason: String? {
        guard share.low > Self.maximumShare else { return nil }
        return "the protocol used at least \(Int(share.low * 100))% of the time of the driver; "
            + "measure longer accesses or fewer workers"
    }

    /// The lines of a text report.
    package var lines: [String] {
        func time(_ interval: Interval) -> String {
            ReportUnits.time(UInt64(interval.low)) + " to "
                + ReportUnits.time(UInt64(interval.high))
        }
        func percent(_ value: Double) -> String { String(format: "%.1f%%", value * 100) }
        let versions = [runtime, sqlite.map { "SQLite \($0)" }].compactMap { $0 }
        var lines = [
            "driver \(name)" + (versions.isEmpty ? "" : " (\(versions.joined(separator: ", ")))")
                + ": which connection an access held is unknown",
            "protocol: \(time(perAccess)) per access in batches, \(time(roundTrip)) per single "
                + "access; \(percent(share.low)) to \(percent(share.high)) of the driver's time",
        ]
        for (client, interval) in (throughput ?? [:]).sorted(by: { $0.key < $1.key }) {
            lines.append(
                String(
                    format: "without the protocol, \(client): %.0f to %.0f accesses/s",
                    interval.low,
                    interval.high
                )
            )
        }
        for (client, reason) in (elsewhere ?? [:]).sorted(by: { $0.key < $1.key }) {
            lines.append("\(client) used libsqlite3 in this process: \(reason)")
        }
        return lines
    }
}
