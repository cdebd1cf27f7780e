import Foundation
import Testing

extension ExitTest.Result {
    /// What the process said on its standard error.
    var message: String { String(decoding: standardErrorContent, as: UTF8.self) }
}

/// Ends the process of an exit test that would wait forever.
func endProcessAfterAWhile() { alarm(20) }
