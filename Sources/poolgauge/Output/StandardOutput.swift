import Foundation

enum StandardOutput {
    struct Failure: Error, CustomStringConvertible {
        var destination: String
        var code: Int32

        /// Whether the reader closed the pipe, which does not indicate an error in this program.
        var isClosedPipe: Bool { code == EPIPE }

        var description: String {
            "cannot write to \(destination): \(String(cString: strerror(code)))"
        }
    }

    static func write(_ text: String) throws(Failure) {
        try write(text, to: STDOUT_FILENO, destination: "standard output")
    }

    static func write(
        _ text: String,
        to descriptor: Int32,
        destination: String
    ) throws(Failure) {
        var remaining = ArraySlice(Array(text.utf8))
        while !remaining.isEmpty {
            let count = remaining.withUnsafeBytes { bytes in
                #if canImport(Glibc)
                Glibc.write(descriptor, bytes.baseAddress, bytes.count)
                #else
                Darwin.write(descriptor, bytes.baseAddress, bytes.count)
                #endif
            }
            if count > 0 {
                remaining = remaining.dropFirst(count)
            } else if errno != EINTR {
                throw Failure(destination: destination, code: errno)
            }
        }
    }
}

/// The standard error stream.
///
/// Failed writes are ignored.
enum StandardError {
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    static func write(_ text: String) {
        try? StandardOutput.write(text, to: STDERR_FILENO, destination: "standard error")
    }
}
