/// Estimates the share of time for which something was so, from samples.
///
/// Each sample counts for the mean interval at which it was made, so that a change of the rate does
/// not bias the share.
struct ShareCounter: Equatable, Sendable {
    private var total: Double = 0
    private var totalOfSquares: Double = 0
    private(set) var samples = 0

    /// Counts a sample.
    mutating func add(weight: Double) {
        total += weight
        totalOfSquares += weight * weight
        samples += 1
    }

    /// The share of time, from the sum of the weights of the samples at which it was so.
    func estimate(held: Double) -> WatchedEstimate {
        guard total > 0, totalOfSquares > 0 else { return WatchedEstimate(value: 0, error: 1) }
        let share = min(max(held / total, 0), 1)
        // The number of equal samples that are as good.
        let count = total * total / totalOfSquares
        // With one success and one failure more, the error of 0 of n and of n of n is not 0.
        let smoothed = (share * count + 1) / (count + 2)
        return WatchedEstimate(
            value: share,
            error: (smoothed * (1 - smoothed) / count).squareRoot()
        )
    }
}

/// The weights of the samples at which a process held locks.
struct HeldWeights: Equatable, Sendable {
    var writer: Double = 0
    var reader: Double = 0
    var checkpoint: Double = 0

    /// Counts a sample.
    mutating func add(_ held: Set<HeldLock>, weight: Double) {
        if held.contains(where: { $0.kind.isWrite }) { writer += weight }
        if held.contains(where: { $0.kind.isRead }) { reader += weight }
        if held.contains(where: { $0.kind == .checkpoint }) { checkpoint += weight }
    }

    /// The shares.
    func share(_ counter: ShareCounter) -> WatchedShare {
        var share = WatchedShare()
        share.writer = counter.estimate(held: writer)
        share.reader = counter.estimate(held: reader)
        share.checkpoint = counter.estimate(held: checkpoint)
        return share
    }
}

extension LockKind {
    /// Whether it permits to write, or keeps others from writing.
    var isWrite: Bool {
        switch self {
        case .writer, .reserved, .pending, .exclusive: true
        case .reader, .checkpoint, .recovery, .shared: false
        }
    }

    /// Whether it permits to read.
    var isRead: Bool { self == .reader || self == .shared }
}
