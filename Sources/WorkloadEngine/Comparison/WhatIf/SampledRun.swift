import Telemetry
import Units

/// The sampled part of an arm's run, as a result that ``WhatIf`` can simulate.
///
/// A recording of a stopped run has no result, and a result always covers the whole run. Samples
/// contain the distributions of each second, with a precision of 25%, and the exact means.
package struct SampledRun: Sendable {
    private let arm: String
    private var clients: [String: SampledClient] = [:]
    private var last: Sample?
    /// The measured time that the samples cover, in seconds.
    private var seconds = 0.0

    /// The maximum length of the simulated period, in seconds.
    ///
    /// The distributions cover all samples.
    private static let longestSimulation = 600.0

    /// Creates an arm's run that does not yet have samples.
    package init(arm: String) { self.arm = arm }

    /// Whether the samples show a pool.
    package var isPool: Bool { last?.database.kind == .pool }

    /// Adds the next sample of the arm.
    package mutating func add(_ sample: Sample) {
        defer { last = sample }
        guard sample.isMeasured != false, sample.state != .preparing else { return }
        let isSameRun = last.map { $0.sequence < sample.sequence } ?? false
        if isSameRun, let last, last.isMeasured != false {
            seconds += max(0, sample.time - last.time)
        }
        for client in sample.clients {
            let previousCounts =
                isSameRun ? last?.clients.first { $0.name == client.name }?.counts : nil
            clients[client.name, default: SampledClient()].add(client, since: previousCounts)
        }
    }

    /// Combines the samples.
    ///
    /// - Parameters:
    ///   - scenario: The recorded scenario.
    ///   - environment: The machine that recorded the run.
    /// - Returns: The result of the covered part of the run.
    /// - Throws: ``WhatIfError`` if there are too few samples, or an error from the scenario.
    package func result(
        of scenario: Scenario,
        on environment: HostEnvironment
    ) throws -> RunResult {
        guard let last, seconds > 0, clients.values.contains(where: { $0.completed > 0 }) else {
            throw WhatIfError(
                .notRecorded,
                "the period contains no completed access of arm '\(arm)' in a measured phase; "
                    + "choose a longer one with --from and --to"
            )
        }
        guard let declared = scenario.arms.first(where: { $0.name == arm }) else {
            throw WhatIfError(
                .differentScenario,
                "the recorded scenario '\(scenario.name)' has no arm '\(arm)'"
                    + NearestName.hint(arm, among: scenario.arms.map(\.name))
            )
        }
        let load = try load(of: scenario, on: declared, last)
        var result = ArmResult(
            arm: arm,
            valid: true,
            partial: false,
            duration: seconds.rounded(toDigits: 6),
            environment: last.database.journalMode.map { ["journal_mode": $0] } ?? [:],
            clients: [:],
            generator: GeneratorResult(),
            load: load,
            thresholds: [],
            invariants: [],
            intervals: []
        )
        for (name, client) in clients where client.completed > 0 {
            result.clients[name] = client.result
        }
        result.pool = PoolResult(
            maximumReaderCount: last.database.readers?.maximum,
            waitingReadersPeak: 0,
            waitingWritersPeak: 0
        )
        return RunResult(scenario: scenario, environment: environment, runs: [result])
    }

    /// Returns the load of the period: one phase, with the mean of the target rates.
    private func load(
        of scenario: Scenario,
        on arm: Arm,
        _ last: Sample
    ) throws -> RecordedLoad {
        var load = RecordedLoad(
            try RunPlan(scenario, on: NoopTarget()),
            of: scenario,
            on: arm
        )
        load.readers = last.database.readers?.maximum ?? load.readers
        load.isWAL = last.database.journalMode.map { $0 == "wal" } ?? load.isWAL
        let length = min(seconds, Self.longestSimulation)
        load.phases = [
            RecordedLoad.Phase(
                name: load.phases.last(where: \.measured)?.name ?? "measured",
                length: UInt64(length * 1e9),
                measured: true
            )
        ]
        for (name, client) in load.clients {
            // A client without accesses was not active in the period.
            guard client.interrupts != nil || clients[name]?.completed ?? 0 > 0 else {
                load.clients[name] = nil
                continue
            }
            load.clients[name]?.phases = nil
            if let workers = clients[name]?.workers { load.clients[name]?.workers = workers }
            guard client.arrivals != nil, let rate = clients[name]?.targetRate else { continue }
            load.clients[name]?.arrivals?.rate = rate
            load.clients[name]?.arrivals?.stages = nil
        }
        return load
    }
}

/// The sum of a client's samples.
private struct SampledClient {
    private struct Operation {
        var response = LatencySpectrum()
        var wait = LatencySpectrum()
        var service = LatencySpectrum()
    }

    /// A weighted mean.
    private struct Mean {
        private var sum = 0.0
        private var weight = 0.0

        mutating func add(_ value: Double, weight: Double = 1) {
            guard value.isFinite else { return }
            sum += value * weight
            self.weight += weight
        }

        mutating func add(_ summary: LatencySummary?) {
            guard let summary else { return }
            add(Double(summary.mean), weight: Double(summary.count))
        }

        var value: Double? { weight > 0 ? sum / weight : nil }
    }

    private var operations: [String: Operation] = [:]
    private var response = Mean()
    private var wait = Mean()
    private var service = Mean()
    private var rate = Mean()
    private var counts = AccessCounts()
    private(set) var workers: Int?

    /// The mean target rate, in accesses/s, or `nil` in a closed loop.
    var targetRate: Double? { rate.value }

    var completed: UInt64 {
        operations.values.reduce(0) { $0 + $1.service.count }
    }

    mutating func add(_ client: ClientStatus, since previousCounts: AccessCounts?) {
        workers = client.workers
        if let target = client.targetRate { rate.add(target) }
        let now = client.counts
        func growth(_ count: KeyPath<AccessCounts, UInt64>) -> UInt64 {
            now[keyPath: count] - min(previousCounts?[keyPath: count] ?? 0, now[keyPath: count])
        }
        counts.skipped += growth(\.skipped)
        counts.retried += growth(\.retried)
        counts.interrupted += growth(\.interrupted)
        guard let operations = client.operations else { return }
        response.add(client.response)
        wait.add(client.wait)
        service.add(client.service)
        for operation in operations {
            self.operations[operation.name, default: Operation()].response.add(operation.response)
            self.operations[operation.name, default: Operation()].wait.add(operation.wait)
            self.operations[operation.name, default: Operation()].service.add(operation.service)
        }
    }

    var result: ClientResult {
        var all = Operation()
        for operation in operations.values {
            all.response.add(operation.response)
            all.wait.add(operation.wait)
            all.service.add(operation.service)
        }
        // The means of the samples are exact, but cover all operations.
        func scaled(
            _ spectrum: LatencySpectrum,
            _ all: LatencySpectrum,
            _ exact: Mean
        )
            -> LatencySpectrum
        {
            guard let mean = all.mean, mean > 0, let exact = exact.value else { return spectrum }
            return spectrum.scaled(by: min(max(exact / mean, 0.75), 1.25))
        }
        func spectra(_ operation: Operation) -> LatencySpectra {
            LatencySpectra(
                response: scaled(operation.response, all.response, response),
                wait: scaled(operation.wait, all.wait, wait),
                service: scaled(operation.service, all.service, service)
            )
        }
        var result = Self.result(spectra(all), counts)
        result.operations = operations.mapValues { operation in
            Self.result(spectra(operation), AccessCounts())
        }
        return result
    }

    private static func result(_ spectra: LatencySpectra, _ counts: AccessCounts) -> ClientResult {
        let completed = spectra.service.count
        var result = ClientResult(
            offered: completed + counts.skipped + counts.interrupted,
            started: completed + counts.interrupted,
            completed: completed,
            skipped: counts.skipped,
            late: 0,
            retried: counts.retried,
            interrupted: counts.interrupted,
            unfinished: 0,
            errors: [:],
            response: spectra.response.summary,
            wait: spectra.wait.summary,
            service: spectra.service.summary
        )
        result.spectra = spectra
        return result
    }
}

extension LatencySpectrum {
    /// Adds a distribution with wider buckets, and divides the count of each bucket equally.
    fileprivate mutating func add(_ distribution: LatencyDistribution) {
        for (offset, count) in distribution.counts.enumerated() where count > 0 {
            let bucket = distribution.firstBucket + offset
            let lower = LatencyDistribution.lowerBound(of: bucket)
            let width = LatencyDistribution.lowerBound(of: bucket + 1) - lower
            let parts = max(1, min(4, width))
            for part in 0..<parts {
                let share = UInt64(count) / parts + (part < UInt64(count) % parts ? 1 : 0)
                add(lower + width * part / parts, count: share)
            }
        }
    }

    /// Returns the spectrum with all latencies multiplied by a factor.
    fileprivate func scaled(by factor: Double) -> LatencySpectrum {
        var scaled = LatencySpectrum()
        for bucket in buckets { scaled.add(UInt64(bucket.middle * factor), count: bucket.count) }
        return scaled
    }

    fileprivate var summary: LatencySummary? {
        guard let mean, let last = buckets.last else { return nil }
        func percentile(_ percentile: Double) -> UInt64? {
            guard Percentile.supports(percentile, count: count) else { return nil }
            return value(at: percentile / 100).map { UInt64($0) }
        }
        return LatencySummary(
            count: count,
            mean: UInt64(mean),
            p50: percentile(50),
            p90: percentile(90),
            p95: percentile(95),
            p99: percentile(99),
            max: UInt64(last.middle)
        )
    }
}
