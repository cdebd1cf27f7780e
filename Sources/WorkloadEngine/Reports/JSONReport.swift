import Foundation

/// Writes results as JSON: keys sorted, so that equal results are equal texts.
public enum JSONReport {
    /// The result as indented JSON with a newline at its end.
    public static func text(of result: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(result), as: UTF8.self) + "\n"
    }
}
