/// The tuned times of SQLiteEngine, with their reasons.
///
/// All times are in nanoseconds. The engine and its tests refer to these values. `WorkloadEngine`,
/// which does not import the engine, simulates its waiting with them.
package enum EngineTimings {
    // MARK: Waiting for a connection

    /// The time during which running threads may overtake a waiter.
    ///
    /// Handing a connection to a sleeping thread costs a wake-up, which takes many times as long as
    /// a point read. One millisecond is the cost of 20 wake-ups.
    @inlinable package static var patience: UInt64 { 1_000_000 }
    /// The shortest time between two notifications of waiters.
    ///
    /// Waking a thread that loses the race for the connection costs two context switches. A wake-up
    /// takes about 50 µs.
    @inlinable package static var notificationInterval: UInt64 { 50_000 }
    /// The time that a woken thread spins for a connection before it sleeps again, which is about
    /// the cost of falling asleep and being woken.
    @inlinable package static var watch: UInt64 { 50_000 }
    /// The time that a sleeping thread takes to wake up on an idle processor, for simulations.
    @inlinable package static var wakeUp: UInt64 { 50_000 }

    // MARK: Kept read transactions

    /// The longest gap between two accesses across which a transaction is kept.
    ///
    /// A process that is stopped between two reads (SIGSTOP, a laptop's sleep) holds its lock until
    /// it continues. If reads are further apart than this, the process holds no lock.
    @inlinable package static var longestKeptGap: UInt64 { 200_000 }
    /// The longest time for which one transaction is kept, not counting the accesses that use it.
    ///
    /// Another process's checkpoint waits for at most this long.
    @inlinable package static var longestKept: UInt64 { 5_000_000 }
    /// The time after which a kept transaction ends if no access uses it.
    @inlinable package static var keptIdle: UInt64 { 2_000_000 }
    /// The time for which nothing is kept after another process has committed.
    @inlinable package static var restAfterForeignCommit: UInt64 { 250_000_000 }
    /// The time for which another process that has committed is expected to write again.
    @inlinable package static var foreignWriterMemory: UInt64 { 10_000_000_000 }
    /// The clock bit that determines the turn while another process's log waits for a checkpoint.
    ///
    /// Transactions are kept for 4 ms, and then none is kept for the next 4 ms.
    ///
    /// That process's checkpoint may wait for a read mark and retry periodically (the busy
    /// handler). This wait is not visible to other processes. The checkpoint must find a moment at
    /// which no reader holds the mark.
    @inlinable package static var keepingTurn: UInt64 { 1 << 22 }
    /// The longest time that a writer waits for a transaction that another thread is ending.
    ///
    /// That thread may have been preempted.
    @inlinable package static var longestEnding: UInt64 { 10_000_000 }

    // MARK: Locks of this pool's own readers

    /// The longest time for which a writer retries a lock that a reader of the same pool holds.
    ///
    /// A reader holds the lock for some microseconds, or for a scheduler time slice if it is
    /// preempted meanwhile.
    @inlinable package static var ownReaderRetry: UInt64 { 10_000_000 }
    /// The pause between two of these attempts.
    @inlinable package static var ownReaderPause: UInt64 { 50_000 }

    // MARK: Interrupts

    /// The pause before the first repetition of an interrupt.
    ///
    /// Each further pause is twice as long.
    ///
    /// SQLite discards an interrupt that arrives just before a statement starts.
    @inlinable package static var firstInterruptPause: UInt64 { 1_000_000 }
    /// The longest pause between two interrupts of a canceled access.
    @inlinable package static var longestInterruptPause: UInt64 { 100_000_000 }
    /// The pause after which `interrupt()` is no longer repeated, because the statement does not
    /// end.
    @inlinable package static var lastInterruptPause: UInt64 { 1_000_000_000 }

    // MARK: The write-ahead log

    /// The age from which a read transaction is reported as the reason for a long log.
    ///
    /// A shorter transaction ends before a user can react to it.
    @inlinable package static var pinAge: UInt64 { 100_000_000 }
    /// The time for which an unknown connection of this process must be visible before it is
    /// reported, because the pool's own readers open and close between two checks.
    @inlinable package static var ownProcessPinAge: UInt64 { 500_000_000 }

    // MARK: Observation

    /// The processor time up to which the next fetch of a value runs inside the commit.
    @inlinable package static var cheapFetch: UInt64 { 1_000_000 }
    /// The longest fetch that shares a connection with other fetches, and the longest delivery that
    /// shares a thread with other deliveries.
    @inlinable package static var quickFetch: UInt64 { 1_000_000 }
    /// The longest time that a round of fetches keeps its connection.
    @inlinable package static var longestRound: UInt64 { 2_000_000 }
    /// The time that a round may last before another lookout takes over.
    @inlinable package static var roundTrust: UInt64 { 3_000_000 }
    /// The time for which a lookout stays awake without work.
    @inlinable package static var lookoutTail: UInt64 { 5_000_000 }
    /// The shortest pause between two checks for work.
    @inlinable package static var lookoutPause: UInt64 { 500_000 }
    /// The shortest pause after a round.
    ///
    /// A few quick fetches cause no pause.
    @inlinable package static var shortestRest: UInt64 { 200_000 }
    /// The longest pause after a round.
    ///
    /// Rounds take at most a quarter of the time, so a pause is three times as long as its round.
    @inlinable package static var longestRest: UInt64 { 5_000_000 }
    /// The time for which a fetched value may wait for other values, so that they are sent
    /// together.
    @inlinable package static var longestBatch: UInt64 { 1_000_000 }
    /// The time for which the other values wait for a slow delivery.
    @inlinable package static var notificationTurn: UInt64 { 3_000_000 }
}
