import Telemetry

/// A type that formats the cells of CSV reports.
///
/// Cells contain the text unchanged. Spreadsheets interpret text that begins with `=`, `+`, `-`, or
/// `@` as a formula. A prefix that prevents this would change names and negative numbers for all
/// other programs.
enum CSVText {
    /// Returns a cell, in quotes if necessary (RFC 4180).
    static func cell(_ text: String) -> String {
        let needsQuotes = text.unicodeScalars.contains { ",\"\n\r".unicodeScalars.contains($0) }
        return needsQuotes ? text.quoted(by: "\"") : text
    }
}
