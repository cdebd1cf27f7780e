/// The tuned times of SQLiteEngine, in nanoseconds, and the reasons for their values.
enum EngineTimings {
    // MARK: Waiting for a connection

    /// Returns a waiter's *patience*: the time for which running threads may overtake the waiter,
    /// which follows `count` other waiters.
    ///
    /// Handing a connection over to a sleeping thread requires a wake-up, which takes many times
    /// longer than a point read and leaves the connection unused. If the patience of all waiters
    /// were constant, the connection would be unused most of the time when many threads wait. The
    /// patience therefore grows with the number of waiters, so that handovers are about six
    /// wake-ups apart.
    static func patience(behind count: Int) -> UInt64 {
        min(max(shortestPatience, UInt64(count) * 6 * wakeUp), longestPatience)
    }
    /// The patience of a waiter behind at most a few other waiters, equal to 20 wake-ups.
    static var shortestPatience: UInt64 { 1_000_000 }
    /// The patience of a waiter behind many other waiters.
    static var longestPatience: UInt64 { 20_000_000 }
    /// The shortest time between two notifications of waiters.
    ///
    /// Waking a thread that loses the race for the connection costs two context switches. A wake-up
    /// takes about 50 µs.
    static var notificationInterval: UInt64 { 50_000 }
    /// The time for which a woken thread spins for a connection before it sleeps again.
    ///
    /// The time is about as long as it takes a thread to go to sleep and wake up.
    static var watch: UInt64 { 50_000 }
    /// The time that a sleeping thread takes to wake up on an idle processor.
    static var wakeUp: UInt64 { 50_000 }

    // MARK: Kept read transactions

    /// The longest time between the ends of two reads after which a transaction is kept.
    ///
    /// A process that is suspended between two reads (by SIGSTOP, or on a sleeping laptop) holds
    /// the lock of a kept transaction until the process resumes. If all reads are farther apart
    /// than this time, a suspended process does not hold a lock.
    static var longestKeptGap: UInt64 { 200_000 }
    /// The longest time for which a transaction is kept, excluding the last access that uses it.
    ///
    /// A checkpoint in another process waits at most this long.
    static var longestKept: UInt64 { 5_000_000 }
    /// The longest time for which an unused transaction is kept.
    static var keptIdle: UInt64 { 2_000_000 }
    /// The time after another process's commit during which no transaction is kept.
    static var pauseAfterForeignCommit: UInt64 { 250_000_000 }
    /// The time after another process's commit during which that process is expected to write
    /// again.
    static var foreignWriterMemory: UInt64 { 10_000_000_000 }
    /// The clock bit that determines whether to keep transactions while another process waits for a
    /// checkpoint.
    ///
    /// Readers alternate between keeping transactions for 4 ms and keeping no transactions for 4
    /// ms.
    ///
    /// The checkpoint's busy handler may retry periodically until a read mark is free. Other
    /// processes cannot detect this wait. The checkpoint succeeds only if a retry happens while no
    /// reader holds the mark.
    static var keepingTurn: UInt64 { 1 << 22 }
    /// The longest time for which a writer waits for a thread to end a kept transaction.
    ///
    /// That thread may have been preempted.
    static var longestEnding: UInt64 { 10_000_000 }

    // MARK: Locks of readers in the same pool

    /// The longest time for which a writer retries a lock that a reader of the same pool holds.
    ///
    /// A reader holds the lock for a few microseconds, or for a scheduler time slice if it is
    /// preempted.
    static var readerLockRetry: UInt64 { 10_000_000 }
    /// The pause between two attempts to acquire a lock that a reader of the same pool holds.
    static var readerLockPause: UInt64 { 50_000 }

    // MARK: Interrupts

    /// The pause before the first repetition of an interrupt.
    ///
    /// Interrupts are repeated because SQLite discards an interrupt that arrives just before a
    /// statement starts. Each pause is twice as long as the previous one.
    static var firstInterruptPause: UInt64 { 1_000_000 }
    /// The longest pause between two interrupts of a canceled access.
    static var longestInterruptPause: UInt64 { 100_000_000 }
    /// The longest pause between two repetitions of `interrupt()`.
    ///
    /// After this pause, the engine stops repeating the interrupt, because the statement presumably
    /// cannot be interrupted.
    static var lastInterruptPause: UInt64 { 1_000_000_000 }

    // MARK: Write-ahead log

    /// The minimum age at which a read transaction is reported as the reason for a long log.
    ///
    /// A shorter transaction ends before a user can react to it.
    static var pinAge: UInt64 { 100_000_000 }
    /// The time for which an unknown connection of this process must be visible before the
    /// connection is reported.
    ///
    /// The delay is necessary because the pool's readers may open and close between two checks.
    static var ownProcessPinAge: UInt64 { 500_000_000 }

    // MARK: Observation

    /// The longest CPU time of a fetch for which the value's next fetch runs during the commit.
    static var cheapFetch: UInt64 { 1_000_000 }
    /// The duration of a fetch below which the value's next fetch shares an access with other
    /// fetches.
    static var quickFetch: UInt64 { 1_000_000 }
    /// The time after which a round does not start a further fetch.
    static var longestRound: UInt64 { 2_000_000 }
    /// The longest duration of a fetch, after which a new round fetches the remaining values.
    static var roundTimeout: UInt64 { 3_000_000 }
    /// The shortest pause after a round.
    ///
    /// A pause that would be shorter is omitted.
    static var shortestFetchPause: UInt64 { 200_000 }
    /// The longest pause after a round.
    ///
    /// Up to this limit, a pause is three times as long as its round.
    static var longestFetchPause: UInt64 { 5_000_000 }
    /// The time for which the fetcher stays active without work after a long round.
    ///
    /// On two processors, waking a thread delays a commit by up to 200 µs (p99). With 100
    /// observations and 1,000 commits/s, waking a thread for each commit increased the p99 of a
    /// call by a factor of 5 to 6, compared with no observations. With an active fetcher, the
    /// factor was 0.97.
    static var fetcherIdleTimeout: UInt64 { 5_000_000 }
    /// The interval at which the fetcher checks for work after a pause.
    static var fetcherCheck: UInt64 { 500_000 }
}
