import Foundation

/// A type that encodes results as JSON with sorted keys so that equal results produce equal text.
public enum JSONReport {
    /// Returns the result as indented JSON, ending with a line feed.
    public static func text(of result: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(result), as: UTF8.self) + "\n"
    }
}
