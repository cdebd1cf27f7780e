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
/// So the writer tries again: once in any case, and for at most ``limit`` while one of the pool's
/// readers is inside of a statement, or a snapshot is being made. Nobody can see which connection
/// holds the lock. Where it is another program's, and a reader happens to be at work, the error
/// comes later by this time.
struct OwnReaders: Sendable {
    /// The longest time that the writer tries again, in nanoseconds.
    ///
    /// A reader keeps the lock for some microseconds, and for a time slice of the scheduler's when
    /// it loses its core meanwhile.
    var limit: UInt64 = 10_000_000

    /// The pause between two tries, in microseconds.
    private static let pause: UInt32 = 50

    /// Whether one of them may be beginning its transaction right now.
    let mayBeBeginning: @Sendable () -> Bool

    /// Answers whether to try again, after a pause.
    ///
    /// - Parameters:
    ///   - tries: How many tries there were; 0 at the first.
    ///   - waited: The time since then, in nanoseconds.
    /// - Returns: Whether one of the readers may be what is in the way.
    func mayBeInTheWay(tries: Int, waited: UInt64) -> Bool {
        // The reader may have gone on already: then this try succeeds.
        if tries == 0 { return true }
        guard waited < limit, mayBeBeginning() else { return false }
        usleep(Self.pause)
        return true
    }
}
