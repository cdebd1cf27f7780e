import Foundation

/// An operation's service times, drawn from recorded times and split into work and delays.
///
/// A recorded service time includes waits for a processor, which depend on the number of readers.
/// One share of the recorded time becomes work for the simulated processors. Another share becomes
/// a delay that is independent of other accesses. The rest is the wait for a processor, which
/// results from the simulation.
struct ServiceModel: Sendable {
    private let times: SpectrumSampler
    /// The mean of the recorded times, in nanoseconds.
    let mean: Double
    /// The time for which an access holds its connection, in nanoseconds, regardless of the work.
    let hold: Double
    private var excess = Excess()
    /// The share of a recorded time, beyond the hold, that is processor work.
    var work: Double
    /// The share of a recorded time, beyond the hold, that is a delay, such as syncs and locks.
    var delay: Double
    /// Whether ``work`` was measured instead of computed by ``Calibration``.
    let isWorkMeasured: Bool

    /// Creates a model of recorded times, or returns `nil` if there are none.
    ///
    /// - Parameters:
    ///   - service: The recorded times.
    ///   - exactMean: The exact mean of the times, in nanoseconds, if known.
    ///   - processorMean: The mean processor time of an access, in nanoseconds, if measured.
    ///   - hold: The minimum time of each access, in nanoseconds.
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
            // The statement runs during the hold, so its work is not part of the overrun.
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

    /// The processor time of a hold, in nanoseconds.
    let holdWork: Double

    struct Demand {
        /// The processor time, in nanoseconds.
        var work: Double
        /// The delay after the work, in nanoseconds.
        var delay: Double
        /// The minimum time from entry to end, in nanoseconds.
        var minimum: Double
    }

    /// Draws the demand of one access.
    func draw(using random: inout RandomStream) -> Demand {
        let time = times.next(using: &random)
        if hold > 0 {
            let minimum = excess.draw(insteadOf: time, hold: hold, using: &random) ?? time
            return Demand(work: holdWork, delay: 0, minimum: minimum)
        }
        return Demand(work: time * work, delay: time * delay, minimum: 0)
    }
}

extension ServiceModel {
    /// The time by which completed holds overrun the request.
    ///
    /// A spectrum's resolution at one second is about sixty milliseconds. Without the exact mean,
    /// two holds that start together, and the waits for them, would end at different times.
    fileprivate struct Excess: Sendable {
        /// The mean overrun, in nanoseconds, or `nil` if the mean is unknown.
        private var mean: Double?
        /// The upper bound of the recorded times that the overrun replaces, in nanoseconds.
        private var upper = 0.0

        init() {}

        /// Computes the overrun of times near the hold from the exact mean of all times.
        init(of service: LatencySpectrum, mean: Double, hold: UInt64) {
            // Include the next bucket, because the hold may be close to the end of its bucket.
            var bounds = LatencySpectrum()
            bounds.add(hold)
            guard let first = bounds.buckets.first else { return }
            bounds.add(first.upper)
            guard let end = bounds.buckets.last?.upper else { return }
            let nearest = service.buckets.filter { $0.upper > first.lower && $0.lower < end }
            let count = nearest.reduce(0) { $0 + $1.count }
            guard count > 0 else { return }
            let others = service.buckets.filter { !nearest.contains($0) }
            let sum = mean * Double(service.count)
            let rest = others.reduce(0) { $0 + $1.middle * Double($1.count) }
            upper = Double(end)
            let most = upper - Double(hold)
            self.mean = min(max(0, (sum - rest) / Double(count) - Double(hold)), most)
        }

        /// Draws an access's time, or returns `nil` if `time` is not near the hold.
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
