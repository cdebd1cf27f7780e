import Foundation

/// Reports as JSON, with all control characters escaped.
public enum WatchJSON {
    /// A report as indented JSON with a newline at the end.
    public static func text(of report: WatchReport) throws -> String {
        try PrintableText.escaped(
            json: text(of: report, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]),
            keepingNewlines: true
        ) + "\n"
    }

    /// A report as one line of JSON with a newline at the end.
    public static func line(of report: WatchReport) throws -> String {
        try PrintableText.escaped(
            json: text(of: report, [.sortedKeys, .withoutEscapingSlashes]),
            keepingNewlines: false
        ) + "\n"
    }

    private static func text(
        of report: WatchReport,
        _ formatting: JSONEncoder.OutputFormatting
    ) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }
}
