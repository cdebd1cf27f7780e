import Foundation
import Telemetry

/// How a pool's writer meets a lock that one of the pool's own readers holds for a moment.
///
/// A reader that begins its transaction while a commit is being published finds the header of the
/// wal-index half-written. It then takes the write lock, reads the header again, and gives the
/// lock back (`walIndexReadHdr` in SQLite's `wal.c`). A writer that begins at this very moment is
/// told `SQLITE_BUSY`, though nobody writes: with ``Database/BusyMode/immediateError`` the user of
/// a pool that is alone would see an error without a cause.
///
/// So the writer tries again: for at most ``limit``, and until it has looked twice in a row without
/// finding one of the pool's readers in an access, which may prepare or run a statement, or a
/// snapshot being made. A single look tells nothing of the try before it: the reader may have gone
/// in between. Nobody can see which connection holds the lock. Where it is another program's, the
/// error comes later by the pause between two looks, and by ``limit`` where a reader is at work.
struct OwnReaders: Sendable {
    /// ``EngineTimings/ownReaderRetry``, unless a test sets it.
    var limit = EngineTimings.ownReaderRetry

    /// How many tries there are within the limit, even where the writer itself loses its core.
    private static let fewestTries = 10

    /// A lock that the writer has met.
    struct Met {
        /// Since when, in nanoseconds of the monotonic clock.
        fileprivate var since: UInt64 = 0
        /// How often in a row no reader was found at work.
        fileprivate var looksInVain = 0
    }

    /// How many looks in vain let the writer give up.
    private static let mostLooksInVain = 2

    /// Whether one of them may be beginning its transaction: it is in an access.
    let mayBeBeginning: @Sendable () -> Bool

    /// Answers whether to try again, after a pause.
    ///
    /// - Parameters:
    ///   - tries: How many tries there were; 0 at the first.
    ///   - met: The lock.
    /// - Returns: Whether one of the readers may be what was in the way.
    func mayBeInTheWay(tries: Int, _ met: inout Met) -> Bool {
        // The reader may have gone on already: then this try succeeds.
        if tries == 0 {
            met = Met(since: monotonicNanoseconds())
            return true
        }
        met.looksInVain = mayBeBeginning() ? 0 : met.looksInVain + 1
        guard
            met.looksInVain < Self.mostLooksInVain,
            tries < Self.fewestTries || monotonicNanoseconds() &- met.since < limit
        else { return false }
        usleep(UInt32(EngineTimings.ownReaderPause / 1_000))
        return true
    }
}
