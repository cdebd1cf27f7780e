import Foundation

/// How long the accesses of one operation keep what they have waited for: drawn from the times that
/// a run recorded, and split into what a processor does and what is waited for otherwise.
///
/// A recorded service time holds the waiting for a processor, which another number of readers
/// changes. So only a share of it is work for the processors of the simulation, and only a share
/// is a delay that passes whatever others do; what is left is what the simulation makes of itself.
struct ServiceModel: Sendable {
    private let times: SpectrumSampler
    /// The mean of the recorded times, in nanoseconds.
    let mean: Double
    /// How long an access lasts at least whatever its work, in nanoseconds: a hold.
    let hold: Double
    /// How much longer than asked for those are held that end as they should.
    private var excess = Excess()
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
    ///   - exactMean: Their mean, in nanoseconds, where it is known better than they tell.
    ///   - processorMean: The processor time of an access, in nanoseconds, where it was measured.
    ///   - hold: How long each access is held at least, in nanoseconds.
    init?(
        _ service: LatencySpectrum,
        exactMean: UInt64? = nil,
        processorMean: UInt64?,
        hold: UInt64 = 0
    ) {
        guard let mean = service.mean, let times = SpectrumSampler(service) else { return nil }
        self.times = times
        self.mean = mean
        self.hold = Double(hold)
        isWorkMeasured = processorMean != nil
        let beyond = max(mean - self.hold, 0)
        if hold > 0 {
            // The statement of a hold runs while it lasts: its work is no part of what is beyond.
            work = 0
            delay = 1
            holdWork = Double(processorMean ?? 0)
            if let exactMean { excess = Excess(of: service, mean: Double(exactMean), hold: hold) }
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
        let time = times.next(using: &random)
        if hold > 0 {
            let least = excess.draw(insteadOf: time, hold: hold, using: &random) ?? time
            return Demand(work: holdWork, delay: 0, least: least)
        }
        return Demand(work: time * work, delay: time * delay, least: 0)
    }
}

extension ServiceModel {
    /// How much longer than asked for accesses are held.
    ///
    /// A spectrum knows a hold of a second to some sixty milliseconds. Two that begin together would
    /// seem to end one after the other, and whoever waits for them with them.
    fileprivate struct Excess: Sendable {
        /// The mean, in nanoseconds; nil where it is not known.
        private var mean: Double?
        /// The recorded times that it stands for, in nanoseconds.
        private var upper = 0.0

        /// Nothing is known.
        init() {}

        /// Takes what the exact mean of all times leaves for those nearest to the hold.
        init(of service: LatencySpectrum, mean: Double, hold: UInt64) {
            // Its bucket and the next: it may lie at the end of its own.
            var bounds = LatencySpectrum()
            bounds.add(hold)
            guard let own = bounds.buckets.first else { return }
            bounds.add(own.upper)
            guard let end = bounds.buckets.last?.upper else { return }
            let nearest = service.buckets.filter { $0.upper > own.lower && $0.lower < end }
            let count = nearest.reduce(0) { $0 + $1.count }
            guard count > 0 else { return }
            let others = service.buckets.filter { !nearest.contains($0) }
            let sum = mean * Double(service.count)
            let rest = others.reduce(0) { $0 + $1.middle * Double($1.count) }
            upper = Double(end)
            let most = upper - Double(hold)
            self.mean = min(max(0, (sum - rest) / Double(count) - Double(hold)), most)
        }

        /// The time of one access, where the one that was drawn is about as long as the hold.
        func draw(
            insteadOf time: Double,
            hold: Double,
            using random: inout RandomStream
        ) -> Double? {
            guard let mean, time < upper else { return nil }
            return min(hold - mean * log(1 - random.nextUnit()), upper)
        }
    }
}
