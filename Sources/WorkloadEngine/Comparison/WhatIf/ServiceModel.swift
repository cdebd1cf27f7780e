/// How long the accesses of one operation keep what they have waited for: drawn from the times that
/// a run recorded, and split into what a processor does and what is waited for otherwise.
///
/// A recorded service time holds the waiting for a processor, which another number of readers
/// changes. So only a share of it is work for the processors of the simulation, and only a share
/// is a delay that passes whatever others do; what is left is what the simulation makes of itself.
struct ServiceModel: Sendable {
    /// The bounds of the buckets, with the counts up to the end of each.
    private let buckets: [(lower: Double, width: Double, sum: Double)]
    /// The mean of the recorded times, in nanoseconds.
    let mean: Double
    /// How long an access lasts at least whatever its work, in nanoseconds: a hold.
    let hold: Double
    /// The share of a recorded time, beyond the hold, that is work for a processor.
    var work: Double
    /// The share of a recorded time, beyond the hold, that passes by itself: syncs, locks.
    var delay: Double
    /// Whether ``work`` was measured, rather than found by ``Calibration``.
    let isWorkMeasured: Bool

    /// Creates a model of recorded times; nil of none.
    ///
    /// - Parameters:
    ///   - service: The recorded times.
    ///   - processorMean: The processor time of an access, in nanoseconds, where it was measured.
    ///   - hold: How long each access is held at least, in nanoseconds.
    init?(_ service: LatencySpectrum, processorMean: UInt64?, hold: UInt64 = 0) {
        guard let mean = service.mean else { return nil }
        var sum = 0.0
        buckets = service.buckets.map { bucket in
            sum += Double(bucket.count)
            return (Double(bucket.lower), Double(bucket.upper - bucket.lower), sum)
        }
        self.mean = mean
        self.hold = Double(hold)
        isWorkMeasured = processorMean != nil
        let beyond = max(mean - self.hold, 0)
        if hold > 0 {
            // The statement of a hold runs while it lasts: its work is no part of what is beyond.
            work = 0
            delay = 1
            holdWork = Double(processorMean ?? 0)
        } else {
            work = processorMean.map { beyond > 0 ? min(1, Double($0) / beyond) : 0 } ?? 1
            delay = 0
            holdWork = 0
        }
    }

    /// The work of an access that is held, in nanoseconds of a processor.
    let holdWork: Double

    /// What one access needs.
    struct Demand {
        /// Nanoseconds of a processor, first.
        var work: Double
        /// Nanoseconds that pass after that.
        var delay: Double
        /// Nanoseconds from the entry on before which it does not end.
        var least: Double
    }

    /// Draws what one access needs.
    func draw(using random: inout RandomStream) -> Demand {
        let time = drawTime(using: &random)
        if hold > 0 { return Demand(work: holdWork, delay: 0, least: time) }
        return Demand(work: time * work, delay: time * delay, least: 0)
    }

    /// A time as they were recorded: a bucket by its count, and each time inside it as likely.
    private func drawTime(using random: inout RandomStream) -> Double {
        let point = random.nextUnit() * (buckets.last?.sum ?? 0)
        var (low, high) = (0, buckets.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if buckets[middle].sum > point { high = middle } else { low = middle + 1 }
        }
        return buckets[low].lower + random.nextUnit() * buckets[low].width
    }
}
