import Foundation
import Testing

extension ExitTest.Result {
    /// The standard error of the process.
    var message: String { String(decoding: standardErrorContent, as: UTF8.self) }
}

/// Ends an exit test's process after 20 s, so it does not wait forever.
func endProcessAfterTimeout() { alarm(20) }
