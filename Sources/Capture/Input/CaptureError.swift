/// Why there is no capture, where, and what to do.
package struct CaptureError: Error, Equatable, CustomStringConvertible {
    /// The file, as it was named; nil for a live trace.
    package var file: String?
    /// The line, from 1; nil where the whole input is meant.
    package var line: Int?
    /// What is wrong, and what to do.
    package var message: String

    /// Creates an error.
    package init(_ message: String, file: String? = nil, line: Int? = nil) {
        self.message = message
        self.file = file
        self.line = line
    }

    /// `file:line: message`.
    package var description: String {
        let place = [file, line.map(String.init)].compactMap { $0 }.joined(separator: ":")
        return place.isEmpty ? message : "\(place): \(message)"
    }
}
