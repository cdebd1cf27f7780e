#if GRDB
import Foundation
import Telemetry
import TestSupport

/// A new thread that performs an operation and stores its error.
final class Background: Sendable {
    private let result = Lock<Result<Void, any Error>?>(nil)
    private let done = Gate()

    init(_ body: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread { [self] in
            let outcome = Result { try body() }
            result.withLock { $0 = outcome }
            done.open()
        }
    }

    /// Waits until the operation ends, and throws its error.
    func end() throws {
        try done.wait()
        try result.withLock { $0 }?.get()
    }
}
#endif
