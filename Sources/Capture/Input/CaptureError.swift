/// An error in the input of a capture, with its position and a remedy.
package struct CaptureError: Error, Equatable, CustomStringConvertible {
    /// The file's name as specified, or `nil` for a live trace.
    package var file: String?
    /// The line number, starting at 1, or `nil` if the error concerns the whole input.
    package var line: Int?
    package var message: String

    package init(_ message: String, file: String? = nil, line: Int? = nil) {
        self.message = message
        self.file = file
        self.line = line
    }

    package var description: String {
        let location = [file, line.map(String.init)].compactMap { $0 }.joined(separator: ":")
        return location.isEmpty ? message : "\(location): \(message)"
    }
}
