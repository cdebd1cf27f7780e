import Foundation
import Testing

extension ExitTest.Result {
    /// The standard error of the process.
    var message: String { String(decoding: standardErrorContent, as: UTF8.self) }
}

/// Ends the process of an exit test after 20 s.
func endProcessAfterTimeout() { alarm(20) }
