/// A measurement of how much the threads of the captured programs competed for processors.
package struct ProcessorCompetition: Sendable, Equatable {
    /// The share of the threads' runnable time that was spent waiting, from 0 to 1.
    package var share = 0.0
    /// The mean number of threads that waited.
    package var waitingThreads = 0.0

    package init(share: Double = 0, waitingThreads: Double = 0) {
        self.share = share
        self.waitingThreads = waitingThreads
    }

    /// The minimum share that indicates competition.
    ///
    /// A program that only sleeps and wakes spends less than a fifth of its runnable time waiting.
    private static let minimumShare = 0.25

    /// Returns whether waits for a processor explain the time between statements.
    ///
    /// - Parameters:
    ///   - pauses: The total time between statements, in seconds.
    ///   - duration: The duration of the capture, in seconds.
    /// - Returns: `false` if there was little competition, or if the time is more than twice the
    ///   waits, because the programs then also paused for other reasons.
    func explains(_ pauses: Double, in duration: Double) -> Bool {
        share >= Self.minimumShare && pauses <= 2 * waitingThreads * duration
    }
}
