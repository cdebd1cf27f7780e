#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An error that ends a command, with a message and an exit status.
struct CommandFailure: Error {
    var message: String
    var status: Int32

    /// `EX_USAGE` of sysexits.h, for invalid arguments and invalid scenarios.
    static let usage: Int32 = 64

    /// The status that a shell reports for a program terminated by a closed pipe.
    static let closedPipe: Int32 = 128 + SIGPIPE

    init(_ message: String, status: Int32 = CommandFailure.usage) {
        self.message = message
        self.status = status
    }
}
