import Text

/// A type that infers the clients of the database and their pace.
///
/// A client is a group of connections with the same mix of transactions.
struct ClientInference {
    /// The minimum cosine similarity between the mixes of two connections that belong to one
    /// client.
    private static let minimumSimilarity = 0.8
    /// The number of transactions that a connection must run for its mix to be reliable.
    private static let minimumCount = 20
    /// The number of transactions that a connection with a unique mix must run to form a client,
    /// unless they take this share of the time.
    private static let minimumRareCount = 3
    private static let minimumRareShare = 0.01
    /// The maximum cosine similarity between a unique mix and the mixes of other clients.
    private static let maximumUniqueSimilarity = 0.1
    /// The number of equal periods for comparing rates.
    private static let periodCount = 10
    /// The shortest think time to model, in seconds, if transactions take almost all of the time.
    private static let shortestThinkTime = 100e-6
    /// The minimum share of time that connections with negligible pauses spend in transactions.
    private static let busyShare = 0.85

    let visits: [Visit]
    let span: ClosedRange<Double>
    let isTimed: Bool
    /// The shapes that write.
    var writingShapes: Set<Int> = []
    /// Whether the programs competed for processors.
    ///
    /// If so, long pauses are waits for a processor.
    var isMachineBusy = false
    /// The names of the programs of the connections.
    var programs: [Int: String] = [:]

    /// Returns the clients, busiest first.
    func clients() -> [CapturedClient] {
        var byConnection: [Int: [Visit]] = [:]
        for visit in visits { byConnection[visit.connection, default: []].append(visit) }
        let length = span.upperBound - span.lowerBound
        let active = byConnection.filter { $0.value.count >= Self.minimumCount }
        // Connections that all exist at the same time are long-lived, even if one of them is idle
        // or waits for a lock most of the time.
        let lastStart = active.values.reduce(-.infinity) { max($0, $1[0].start) }
        let firstEnd = active.values.reduce(.infinity) { min($0, $1.last?.end ?? $0) }
        let longLived = active.filter { _, visits in
            lastStart < firstEnd || (visits.last?.end ?? 0) - visits[0].start >= length / 2
        }
        let coveredCount = longLived.values.reduce(0) { $0 + $1.count }
        guard Double(coveredCount) >= 0.9 * Double(visits.count) else {
            return [
                client(
                    program(Set(byConnection.keys)) ?? "app",
                    connections: Set(byConnection.keys),
                    longLived: nil,
                    groupEvidence: byConnection.count == 1
                        ? "a short-lived connection"
                        : "\(HumanUnits.exact(byConnection.count)) short-lived connections, which "
                            + "form one client"
                )
            ]
        }
        var groups = Self.groups(longLived)
        let rare = byConnection.filter { connection, visits in
            guard longLived[connection] == nil else { return false }
            // A job that runs once or twice, but holds a lock for long, delays other clients. It
            // would not if it were a part of one of them.
            let seconds = visits.reduce(0) { $0 + $1.duration }
            if seconds >= Self.minimumRareShare * length { return true }
            return visits.count >= Self.minimumRareCount
                && (visits.last?.end ?? 0) - visits[0].start >= length / 2
        }
        let uniqueMixes = rare.filter { _, visits in
            let mix = Self.mix(of: visits)
            return groups.allSatisfy { Self.cosine($0.mix, mix) < Self.maximumUniqueSimilarity }
        }
        groups += Self.groups(uniqueMixes)
        // Short-lived connections, such as those that set up a database, do not add concurrency.
        // Count them with the largest group.
        let counts = groups.map(\.connections.count)
        let otherConnections = Set(byConnection.keys).subtracting(longLived.keys).subtracting(
            uniqueMixes.keys
        )
        let names = names(of: groups)
        groups[0].connections.formUnion(otherConnections)
        return groups.enumerated().map { index, group in
            let evidence =
                switch (groups.count, counts[index]) {
                case (1, 1): "one connection"
                case (1, let count):
                    "\(count) connections with the same mix, so they form one client"
                case (_, 1): "one connection with a different mix"
                case (_, let count): "\(count) connections with a different mix"
                }
            return client(
                names[index],
                connections: group.connections,
                longLived: counts[index],
                groupEvidence: evidence
            )
        }
    }

    /// Returns the name of the only program that uses connections, or `nil` if there are several.
    private func program(_ connections: Set<Int>) -> String? {
        let names = Set(connections.map { programs[$0] })
        return names.count == 1 ? names.first.flatMap(\.self) : nil
    }

    /// Returns unique names: those of the programs, or numbers.
    private func names(of groups: [Group]) -> [String] {
        let programs = groups.map { program($0.connections) }
        return programs.enumerated().map { index, name in
            let other = groups.count == 1 ? "app" : "client-\(index + 1)"
            guard let name else { return other }
            let earlier = programs.prefix(index).count { $0 == name }
            return earlier == 0 ? name : "\(name)-\(earlier + 1)"
        }
    }

    private struct Group {
        var connections: Set<Int>
        var mix: [Int: Double]
        var count: Int
    }

    private static func groups(_ connections: [Int: [Visit]]) -> [Group] {
        var groups: [Group] = []
        for (connection, visits) in connections.sorted(by: { $0.key < $1.key }) {
            let mix = mix(of: visits)
            if let index = groups.firstIndex(where: { cosine($0.mix, mix) >= minimumSimilarity }) {
                groups[index].connections.insert(connection)
                groups[index].mix.merge(mix, uniquingKeysWith: +)
                groups[index].count += visits.count
            } else {
                groups.append(Group(connections: [connection], mix: mix, count: visits.count))
            }
        }
        return groups.sorted { $0.count > $1.count }
    }

    private static func mix(of visits: [Visit]) -> [Int: Double] {
        visits.reduce(into: [:]) { $0[$1.shape, default: 0] += 1 }
    }

    private static func cosine(_ first: [Int: Double], _ second: [Int: Double]) -> Double {
        func norm(_ mix: [Int: Double]) -> Double {
            mix.values.reduce(0) { $0 + $1 * $1 }.squareRoot()
        }
        let product = first.reduce(0) { $0 + $1.value * (second[$1.key] ?? 0) }
        return product / max(norm(first) * norm(second), 1e-9)
    }

    // `longLived` is the number of long-lived connections, or nil if the connections are
    // short-lived.
    private func client(
        _ name: String,
        connections: Set<Int>,
        longLived: Int?,
        groupEvidence: String
    ) -> CapturedClient {
        let clientVisits = visits.filter { connections.contains($0.connection) }
        var counts: [Int: Int] = [:]
        for visit in clientVisits { counts[visit.shape, default: 0] += 1 }
        let concurrency = Self.concurrency(of: clientVisits)
        // For short-lived connections, the observed concurrency determines the number of workers.
        let count = longLived ?? min(max(concurrency, 1), connections.count)
        let decision = PaceDecision(clientVisits, connections: count, span: span, isTimed: isTimed)
        var evidence = [groupEvidence, decision.evidence]
        let pace: CapturedClient.Pace
        if decision.isClosed {
            pace = .closed(
                thinkTime(decision, visits: clientVisits, connections: count, span: span)
            )
            if decision.isBursty {
                evidence.append(
                    "its transactions come in bursts with long pauses between them: the scenario spreads the "
                        + "transactions of a burst evenly"
                )
            }
        } else {
            pace = .open(
                reads: arrivals(of: clientVisits.filter { !writingShapes.contains($0.shape) }),
                writes: arrivals(of: clientVisits.filter { writingShapes.contains($0.shape) })
            )
        }
        return CapturedClient(
            name: name,
            connections: connections,
            concurrency: concurrency,
            hasOneConnection: count == 1 && (longLived != nil || connections.count == 1),
            workers: count,
            counts: counts,
            pace: pace,
            evidence: evidence
        )
    }

    /// Returns the distribution of the pauses after transactions in a closed loop, or `nil` if
    /// there are no pauses.
    private func thinkTime(
        _ decision: PaceDecision,
        visits: [Visit],
        connections: Int,
        span: ClosedRange<Double>
    ) -> PauseModel? {
        // The time that the load generator needs between two accesses, in seconds.
        let minimum = 5e-6
        guard decision.isBursty || decision.pauses.quantile(0.75) >= minimum else { return nil }
        // Do not model these short pauses, because probes account for part of them and a thread
        // cannot sleep that briefly. Waits for a processor are not pauses.
        if decision.isSaturated { return nil }
        if isMachineBusy, !decision.isBursty,
            decision.pauses.quantile(0.5) < PauseModel.shortest
        {
            return nil
        }
        // Use the mean that reproduces the observed rate. This mean includes pauses that are not
        // between two transactions, such as the pauses of short-lived connections.
        let service = visits.reduce(0) { $0 + $1.duration }
        let length = span.upperBound - span.lowerBound
        let mean = (Double(connections) * length - service) / Double(max(1, visits.count))
        // A sleep takes at least 0.1 ms. If pauses are negligible, adding sleeps would distort the
        // load more than omitting the pauses does.
        if mean < Self.shortestThinkTime, service >= Self.busyShare * Double(connections) * length {
            return nil
        }
        // The few long pauses between bursts determine the rate.
        if decision.isBursty, mean < Self.shortestThinkTime { return nil }
        return mean >= minimum ? PauseModel(decision.pauses, mean: mean) : nil
    }

    private static func concurrency(of visits: [Visit]) -> Int {
        var running: [Double] = []
        var maximum = 0
        for visit in visits {
            running.removeAll { $0 <= visit.start }
            running.append(visit.end)
            maximum = max(maximum, running.count)
        }
        return maximum
    }

    /// Returns one arrival rate, or several rates if the counts in equal periods differ
    /// significantly (chi-square with nine degrees of freedom, p < 0.001: 27.9).
    private func arrivals(of visits: [Visit]) -> CapturedClient.Arrivals {
        // The span of one transaction is its duration, which is unrelated to the rate.
        let shortest = visits.count > 1 ? 1e-3 : 1
        let length = max(span.upperBound - span.lowerBound, shortest)
        let rate = Double(visits.count) / length
        var gaps = SampledNumbers()
        for (visit, next) in zip(visits, visits.dropFirst()) {
            gaps.add(max(0, next.start - visit.start))
        }
        let isEven = gaps.variation < 0.5
        var counts = Array(repeating: 0, count: Self.periodCount)
        for visit in visits {
            let period = Int((visit.start - span.lowerBound) / length * Double(Self.periodCount))
            counts[min(max(period, 0), Self.periodCount - 1)] += 1
        }
        let mean = Double(visits.count) / Double(Self.periodCount)
        let chiSquare =
            counts.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / max(mean, 1e-9)
        var evidence =
            gaps.count < 2
            ? "\(HumanUnits.exact(visits.count, "arrival")) cannot show how arrivals are spaced, so "
                + "the scenario spaces them evenly"
            : "the standard deviation of the times between arrivals is "
                + "\(ReportUnits.compact(gaps.variation)) × their mean (evenly spaced: 0, Poisson: 1)"
        // Allow for short bursts, which also make the counts differ. For example, arrivals in pairs
        // double the chi-square sum.
        let burstFactor = min(max(gaps.variation, 1), 2)
        guard mean >= 5, chiSquare > 27.9 * burstFactor * burstFactor else {
            return CapturedClient.Arrivals(rates: [rate], isEven: isEven, evidence: evidence)
        }
        let rates = counts.map { Double($0) * Double(Self.periodCount) / length }
        evidence +=
            "; the rate changes from \(ReportUnits.compactRate(rates.min() ?? 0)) to "
            + ReportUnits.compactRate(rates.max() ?? 0)
        return CapturedClient.Arrivals(rates: rates, isEven: isEven, evidence: evidence)
    }
}

/// A transaction of a connection, reduced to its shape and its times, in seconds.
struct Visit {
    /// The connection's number.
    var connection: Int
    /// The shape's number.
    var shape: Int
    var start: Double
    var end: Double
    /// Whether the start is known rather than estimated.
    var startIsKnown = true
    var duration: Double { max(0, end - start) }
}
