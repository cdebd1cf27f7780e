import Findings
import Foundation
import Text

/// A type that encodes reports as JSON with all control characters escaped.
public enum WatchJSON {
    /// Returns a report as indented JSON with a newline at the end.
    public static func text(of report: WatchReport) throws -> String { try document(report) }

    /// Returns a report as one line of JSON with a newline at the end.
    public static func line(of report: WatchReport) throws -> String {
        try Escaping.encodedJSON(
            encoded(report, formatting: [.sortedKeys, .withoutEscapingSlashes]),
            keepingNewlines: false
        ) + "\n"
    }

    /// Returns any value as indented JSON with a newline at the end.
    package static func document(_ value: some Encodable) throws -> String {
        try Escaping.encodedJSON(
            encoded(value, formatting: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]),
            keepingNewlines: true
        ) + "\n"
    }

    private static func encoded(
        _ value: some Encodable,
        formatting: JSONEncoder.OutputFormatting
    ) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
