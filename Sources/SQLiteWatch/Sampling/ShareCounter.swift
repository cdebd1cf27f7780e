import Findings

/// Estimates, from samples, the share of time during which a condition held.
///
/// Each sample is weighted by the mean sampling interval at that time, so that rate changes do not
/// bias the share.
struct ShareCounter: Equatable, Sendable {
    private var total: Double = 0
    private var totalOfSquares: Double = 0
    private(set) var samples = 0

    mutating func add(weight: Double) {
        guard weight > 0 else { return }
        total += weight
        totalOfSquares += weight * weight
        samples += 1
    }

    /// Estimates the share of time from the total weight of the samples in which the condition
    /// held.
    func estimate(held: Double) -> WatchedEstimate {
        guard total > 0, totalOfSquares > 0 else { return WatchedEstimate(value: 0, error: 1) }
        let share = min(max(held / total, 0), 1)
        // The effective number of samples.
        let count = total * total / totalOfSquares
        // Adding one success and one failure keeps the error above 0, even if the condition held in
        // no sample or in all samples.
        let smoothed = (share * count + 1) / (count + 2)
        return WatchedEstimate(
            value: share,
            error: (smoothed * (1 - smoothed) / count).squareRoot()
        )
    }
}

/// The weights of the samples in which a process held locks.
struct HeldWeights: Equatable, Sendable {
    private var writer: Double = 0
    private var reader: Double = 0
    private var checkpoint: Double = 0

    /// Adds a sample.
    ///
    /// - Parameters:
    ///   - held: The locks that the process held.
    ///   - weight: The time that the sample represents for exclusive locks.
    ///   - listWeight: The time that the sample represents for read locks, or 0 if they were not
    ///     read.
    mutating func add(_ held: Set<HeldLock>, weight: Double, listWeight: Double) {
        if held.contains(where: \.kind.isWrite) { writer += weight }
        if held.contains(HeldLock(kind: .checkpoint)) { checkpoint += weight }
        if listWeight > 0, held.contains(where: \.kind.isRead) { reader += listWeight }
    }

    /// Returns the shares of exclusive locks in all samples, and of read locks in the samples that
    /// read `/proc/locks`.
    func share(_ samples: ShareCounter, lists: ShareCounter) -> WatchedShare {
        var share = WatchedShare()
        share.writer = samples.estimate(held: writer)
        share.checkpoint = samples.estimate(held: checkpoint)
        share.reader = lists.estimate(held: reader)
        return share
    }
}

extension LockKind {
    /// Whether the lock permits writing or prevents other connections from writing.
    package var isWrite: Bool {
        switch self {
        case .writer, .reserved, .pending, .exclusive: true
        case .reader, .checkpoint, .recovery, .shared: false
        }
    }

    var isRead: Bool { self == .reader || self == .shared }
}
