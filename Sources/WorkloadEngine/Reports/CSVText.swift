import Telemetry

/// Formats the cells of CSV reports.
///
/// A cell contains the text unchanged, even if it begins with `=`, `+`, `-` or `@`: a prefix that
/// stops spreadsheets from reading such text as a formula would change names and negative numbers
/// for all other programs.
enum CSVText {
    /// Returns a cell, in quotes if necessary (RFC 4180).
    static func cell(_ text: String) -> String {
        let needsQuotes = text.unicodeScalars.contains { ",\"\n\r".unicodeScalars.contains($0) }
        return needsQuotes ? text.quoted(by: "\"") : text
    }
}
