import Text

/// A type that decides whether transactions arrive on a schedule or wait for previous transactions.
///
/// In a closed loop, each transaction waits for the previous one, so a long transaction delays the
/// next one. In an open loop, transactions do not wait, so a long transaction shortens the pause
/// after it on the same connection. With several connections in an open loop, the mean number of
/// transactions that are running at an arrival equals their average over time (Wolff, "Poisson
/// arrivals see time averages", 1982).
struct PaceDecision {
    private(set) var isClosed = false
    /// Whether the connections run transactions as fast as possible.
    private(set) var isSaturated = false
    private(set) var evidence = ""
    /// The times from the end of each transaction to the start of the connection's next one, in
    /// seconds.
    private(set) var pauses = SampledNumbers()

    /// Whether most transactions follow the previous one at once, and a few after a long pause.
    var isBursty: Bool {
        pauses.quantile(0.75) < 100e-6 && pauses.mean >= 10 * max(pauses.quantile(0.5), 5e-6)
    }

    /// The minimum share of time in transactions that indicates a closed loop.
    private static let saturation = 0.7
    /// The longest gap between consecutive transactions that is not treated as a pause, in seconds.
    private static let immediatePause = 20e-6
    /// The number of transactions required for a decision.
    private static let minimumCount = 50

    /// Creates a decision about the observed transactions of one client.
    ///
    /// - Parameters:
    ///   - visits: The transactions, ordered by start time.
    ///   - connections: The number of connections that run them.
    ///   - span: The period from the start of the first transaction to the end of the last one.
    ///   - isTimed: Whether the durations of transactions are known.
    init(_ visits: [Visit], connections: Int, span: ClosedRange<Double>, isTimed: Bool) {
        let length = max(span.upperBound - span.lowerBound, 1e-9)
        var byConnection: [Int: [Visit]] = [:]
        for visit in visits { byConnection[visit.connection, default: []].append(visit) }
        var pairs: [(duration: Double, pause: Double)] = []
        var knownPauses = SampledNumbers()
        for connection in byConnection.values {
            for (visit, next) in zip(connection, connection.dropFirst()) {
                let pause = max(0, next.start - visit.end)
                pauses.add(pause)
                if next.startIsKnown { knownPauses.add(pause) }
                pairs.append((visit.duration, pause))
            }
        }
        // Prefer known pauses, because the pause before an estimated start is also an estimate.
        if knownPauses.count >= Self.minimumCount { pauses = knownPauses }
        guard isTimed else {
            evidence = "durations are unknown, so the scenario uses the observed rate"
            return
        }
        guard visits.count >= Self.minimumCount else {
            evidence =
                HumanUnits.exact(visits.count, "transaction")
                + (visits.count == 1 ? " is" : " are")
                + " too few to determine whether each one waits for the previous one"
            return
        }
        let covered = Self.coveredTime(of: byConnection.values) / length
        if pauses.count > 0, pauses.quantile(0.95) < Self.immediatePause, covered >= 0.9 {
            isClosed = true
            isSaturated = true
            evidence =
                "its transactions follow each other immediately, and at least one is running for "
                + "\(ReportUnits.compactShare(min(1, covered))) of the time"
            return
        }
        let busy = visits.reduce(0) { $0 + $1.duration } / (length * Double(max(1, connections)))
        if busy >= Self.saturation {
            isClosed = true
            isSaturated = pauses.quantile(0.75) < Self.immediatePause
            evidence =
                "its connections are in transactions for \(ReportUnits.compactShare(busy)) of the time"
            return
        }
        if connections == 1 {
            decideByPauses(pairs)
        } else {
            decideByOverlap(visits, length: length, connections: connections, busy: busy)
        }
    }

    /// Returns the total time, in seconds, during which at least one connection is in a transaction
    /// or between two transactions without a pause.
    ///
    /// If threads share too few processors, each thread waits most of the time, but not all of them
    /// wait at the same time.
    private static func coveredTime(of connections: some Collection<[Visit]>) -> Double {
        var periods: [(start: Double, end: Double)] = []
        for visits in connections {
            for (index, visit) in visits.enumerated() {
                var end = visit.end
                if index + 1 < visits.count, visits[index + 1].start - end < immediatePause {
                    end = max(end, visits[index + 1].start)
                }
                periods.append((visit.start, end))
            }
        }
        periods.sort { $0.start < $1.start }
        var length = 0.0
        var last = -Double.infinity
        for period in periods where period.end > last {
            length += period.end - max(period.start, last)
            last = period.end
        }
        return length
    }

    /// Decides whether a long transaction of a single connection shortens the pause after it.
    private mutating func decideByPauses(_ pairs: [(duration: Double, pause: Double)]) {
        let count = Double(pairs.count)
        let meanDuration = pairs.reduce(0) { $0 + $1.duration } / count
        let meanPause = pairs.reduce(0) { $0 + $1.pause } / count
        let variance =
            pairs.reduce(0) { $0 + ($1.duration - meanDuration) * ($1.duration - meanDuration) }
            / count
        guard variance.squareRoot() >= 0.05 * meanPause, variance > 0 else {
            evidence =
                "its transactions are too short, compared with the pauses between them, to show "
                + "whether each transaction waits for the previous one, so the scenario uses the "
                + "observed rate"
            return
        }
        let covariance =
            pairs.reduce(0) { $0 + ($1.duration - meanDuration) * ($1.pause - meanPause) } / count
        let slope = covariance / variance
        isClosed = slope > -0.5
        evidence =
            "for each additional millisecond of a transaction, the pause after it changes by "
            + "\(slope < 0 ? "-" : "")\(ReportUnits.compact(abs(slope))) ms (closed loop: 0, open: -1)"
    }

    /// Decides whether the loop is closed, based on the number of transactions that are running
    /// when another transaction arrives.
    private mutating func decideByOverlap(
        _ visits: [Visit],
        length: Double,
        connections: Int,
        busy: Double
    ) {
        let average = busy * Double(connections)
        let expected = average * Double(visits.count)
        guard expected >= 100 else {
            evidence =
                "its transactions overlap too rarely to determine whether they wait for one "
                + "another, so the scenario uses the observed rate"
            return
        }
        var running: [Double] = []
        var runningSum = 0
        for visit in visits {
            running.removeAll { $0 <= visit.start }
            runningSum += running.count
            running.append(visit.end)
        }
        let ratio = Double(runningSum) / expected
        let closedLoopRatio = Double(connections - 1) / Double(connections)
        isClosed = ratio < (1 + closedLoopRatio) / 2
        evidence =
            "when a transaction starts, \(ReportUnits.compact(ratio)) times the average number of "
            + "transactions are running (closed loop of \(connections): "
            + "\(ReportUnits.compact(closedLoopRatio)), open: 1)"
        // The ratio is farther below the closed-loop ratio than the open-loop ratio is above it.
        // Something other than a closed loop, such as evenly spaced arrivals, keeps transactions
        // from overlapping.
        if ratio < 2 * closedLoopRatio - 1 {
            isClosed = false
            evidence += "; this is below both, so the scenario uses the observed rate"
        }
    }
}
