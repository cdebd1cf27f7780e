import Foundation
import Telemetry

/// The retry policy for a lock that one of a pool's readers briefly holds when the pool's writer
/// needs the lock.
///
/// A reader that starts its transaction during a commit may find a partially written header in the
/// wal-index. The reader then acquires the write lock, reads the header again, and releases the
/// lock (`walIndexReadHdr` in SQLite's `wal.c`). A writer that starts at the same moment receives
/// `SQLITE_BUSY`, although no other connection writes. With ``Database/BusyMode/immediateError``,
/// the application would receive an error without an apparent cause.
///
/// The writer therefore retries for at most ``limit``. It stops earlier when two consecutive checks
/// find no pool reader in an access and no snapshot being created. A single check is not
/// sufficient, because the reader may have left its access between the attempt and the check.
///
/// No API reports which connection holds the lock. If another program holds the lock, the error is
/// delayed by the pause between two checks, or by ``limit`` while a reader is active.
struct ReaderLockRetryPolicy: Sendable {
    /// The longest time for which the writer retries, in nanoseconds.
    var limit = EngineTimings.readerLockRetry

    /// The minimum number of attempts, even if the system preempts the writer's thread.
    private static let minimumTries = 10

    struct EncounteredLock {
        /// The time of the first encounter, in nanoseconds on the monotonic clock.
        fileprivate var since: UInt64 = 0
        fileprivate var checksWithoutReader = 0
    }

    /// The number of consecutive checks without an active reader after which the writer stops.
    private static let maximumChecksWithoutReader = 2

    /// A closure that returns whether a reader is in an access and may therefore be starting its
    /// transaction.
    let mayBeBeginning: @Sendable () -> Bool

    /// Checks whether a reader may hold the lock and, if so, pauses before the next attempt.
    ///
    /// The first call for a lock does not check or pause.
    ///
    /// - Parameters:
    ///   - tries: The number of previous calls for this lock.
    ///   - lock: The encountered lock.
    /// - Returns: Whether to retry.
    func pauseBeforeRetry(after tries: Int, _ lock: inout EncounteredLock) -> Bool {
        // The reader may already have released the lock. If so, this attempt succeeds.
        if tries == 0 {
            lock = EncounteredLock(since: monotonicNanoseconds())
            return true
        }
        lock.checksWithoutReader = mayBeBeginning() ? 0 : lock.checksWithoutReader + 1
        guard
            lock.checksWithoutReader < Self.maximumChecksWithoutReader,
            tries < Self.minimumTries || monotonicNanoseconds() &- lock.since < limit
        else { return false }
        usleep(UInt32(EngineTimings.readerLockPause / 1_000))
        return true
    }
}

/// The busy handler's calls during a statement that failed with `SQLITE_BUSY`.
package struct LockWait: Sendable, Equatable {
    /// Whether the handler stopped retrying.
    ///
    /// The value is `false` if SQLite did not call the handler because waiting could cause a
    /// deadlock. For example, a transaction that has read may try to write while another connection
    /// writes (<https://sqlite.org/c3ref/busy_handler.html>).
    package var didStopRetrying = false
    /// The time from the first call to the last call, in nanoseconds.
    package var nanoseconds: UInt64 = 0
    /// The time of the first call, in nanoseconds on the monotonic clock.
    var start: UInt64 = 0
    /// The handler's timeout in nanoseconds, or `nil` if a callback decides whether to retry.
    package var timeout: UInt64?

    package init() {}

    init(startedAt start: UInt64) { self.start = start }

    mutating func stopRetrying() {
        didStopRetrying = true
        nanoseconds = monotonicNanoseconds() &- start
    }
}
