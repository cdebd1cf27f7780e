import Foundation
import Telemetry

/// Handles a lock that one of a pool's readers holds briefly when the pool's writer needs it.
///
/// A reader that starts its transaction while a commit is being published finds the header of the
/// wal-index half-written. It then acquires the write lock, reads the header again, and releases
/// the lock (`walIndexReadHdr` in SQLite's `wal.c`). A writer that starts at the same moment
/// receives `SQLITE_BUSY`, although no other connection writes. With
/// ``Database/BusyMode/immediateError``, the pool's only user would receive an error without an
/// apparent cause.
///
/// The writer therefore retries for at most ``limit``, and until two consecutive checks find
/// neither a pool reader in an access, which may prepare or run a statement, nor a snapshot that is
/// being created. A single check is not sufficient, because the reader may have left its access
/// between the attempt and the check. No API reports which connection holds the lock. If another
/// program holds it, the error is delayed by the pause between two checks, or by ``limit`` while a
/// reader is active.
struct OwnReaders: Sendable {
    /// ``EngineTimings/ownReaderRetry``, unless a test sets it.
    var limit = EngineTimings.ownReaderRetry

    /// The minimum number of attempts, even if the writer's thread is preempted.
    private static let minimumTries = 10

    /// A lock that the writer has encountered.
    struct EncounteredLock {
        /// When it was first encountered, in nanoseconds on the monotonic clock.
        fileprivate var since: UInt64 = 0
        /// The number of consecutive checks that found no active reader.
        fileprivate var checksWithoutReader = 0
    }

    /// The number of consecutive checks without an active reader after which the writer gives up.
    private static let maximumChecksWithoutReader = 2

    /// Returns whether a reader may be starting its transaction, because it is in an access.
    let mayBeBeginning: @Sendable () -> Bool

    /// Checks whether one of the readers may hold the lock; if so, pauses before the next attempt.
    ///
    /// - Parameters:
    ///   - tries: The number of attempts so far; 0 at the first.
    ///   - lock: The encountered lock.
    /// - Returns: Whether to retry.
    func mayHoldLock(tries: Int, _ lock: inout EncounteredLock) -> Bool {
        // The reader may already have released the lock, in which case this attempt succeeds.
        if tries == 0 {
            lock = EncounteredLock(since: monotonicNanoseconds())
            return true
        }
        lock.checksWithoutReader = mayBeBeginning() ? 0 : lock.checksWithoutReader + 1
        guard
            lock.checksWithoutReader < Self.maximumChecksWithoutReader,
            tries < Self.minimumTries || monotonicNanoseconds() &- lock.since < limit
        else { return false }
        usleep(UInt32(EngineTimings.ownReaderPause / 1_000))
        return true
    }
}
