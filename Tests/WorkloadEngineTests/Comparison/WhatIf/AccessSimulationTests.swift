import Foundation
import Telemetry
import Testing

@testable import WorkloadEngine

/// Compares the simulation with queueing theory.
///
/// The formulas are from Kleinrock, *Queueing Systems*, volume 1 (1975), chapter 3 (M/M/1, M/M/c)
/// and section 5.6 (M/G/1), and volume 2 (1976), section 4.4 (processor sharing).
struct AccessSimulationTests {
    /// The mean service time in all tests: one millisecond in nanoseconds.
    private static let service = 1e6

    /// Exponentially distributed times, derived from their quantiles.
    private static var exponential: LatencySpectrum {
        var spectrum = LatencySpectrum()
        let count = 20_000
        for index in 0..<count {
            let quantile = -log(1 - (Double(index) + 0.5) / Double(count))
            spectrum.add(UInt64(quantile * service))
        }
        return spectrum
    }

    private static var constant: LatencySpectrum {
        var spectrum = LatencySpectrum()
        spectrum.add(UInt64(service), count: 1000)
        return spectrum
    }

    /// Simulates arrivals at a rate with the given service times.
    private func simulate(
        rate: Double,
        _ spectrum: LatencySpectrum,
        on setting: WhatIfSetting,
        seconds: UInt64 = 100,
        processors: Int? = nil
    ) throws -> AccessSimulation.Outcome {
        let load = RecordedLoad.test(
            rate: rate,
            length: seconds * 1_000_000_000,
            // There are so many workers that no arrival waits for one.
            workers: 1000
        )
        var model = try #require(
            ServiceModel(spectrum, processorMean: processors == nil ? 0 : nil)
        )
        if processors == nil { model.delay = 1 }
        let plan = try load.makePlan()
        var simulation = AccessSimulation(
            [AccessSimulation.Client(plan: plan.clients[0], services: [model])],
            in: plan.phases,
            on: setting,
            processors: processors ?? 1,
            random: RandomStream(seed: 7, stream: "test")
        )
        simulation.run()
        return simulation.outcomes[0]
    }

    private func mean(_ values: [Double]) -> Double {
        values.reduce(0, +) / Double(max(1, values.count))
    }

    private func isNear(_ value: Double, _ expected: Double, within share: Double) -> Bool {
        abs(value - expected) <= share * expected
    }

    @Test(.timeLimit(.minutes(2))) func waitsForOneServerMatchTheFormula() throws {
        // M/M/1 at ρ = 0.5: E[W] = ρ / (μ − λ), P(W > t) = ρ e^−(μ − λ)t.
        let outcome = try simulate(rate: 500, Self.exponential, on: .pool(readers: 1))
        #expect(outcome.waits.count > 47_000)
        #expect(isNear(mean(outcome.waits), 1.0 * Self.service, within: 0.08))
        let p99 = try #require(WhatIf.percentile99(of: outcome.waits))
        #expect(isNear(Double(p99), log(50) / 0.5 * Self.service, within: 0.08))
        let immediateShare = Double(outcome.waits.count { $0 == 0 }) / Double(outcome.waits.count)
        #expect(isNear(immediateShare, 0.5, within: 0.02))
    }

    @Test(.timeLimit(.minutes(2))) func waitsForSeveralServersMatchTheFormula() throws {
        // M/M/4 at ρ = 0.8: Erlang's C is 0.5964, P(W > t) = C e^−(4μ − λ)t.
        let outcome = try simulate(rate: 3200, Self.exponential, on: .pool(readers: 4), seconds: 25)
        let waiting = outcome.waits.count { $0 > 0 }
        let share = Double(waiting) / Double(outcome.waits.count)
        #expect(isNear(share, 0.5964, within: 0.03))
        #expect(isNear(mean(outcome.waits), 0.5964 / 0.8 * Self.service, within: 0.1))
        let p99 = try #require(WhatIf.percentile99(of: outcome.waits))
        #expect(isNear(Double(p99), log(59.64) / 0.8 * Self.service, within: 0.12))
    }

    @Test(.timeLimit(.minutes(2))) func equalServiceTimesHalveTheWait() throws {
        // M/D/1 according to Pollaczek and Khinchine, at ρ = 0.6: E[W] = ρ s / 2(1 − ρ).
        let outcome = try simulate(rate: 600, Self.constant, on: .queue, seconds: 80)
        // The spectrum is only as precise as the width of a bucket, so the formula uses its mean.
        let exact = try #require(Self.constant.mean)
        let load = 600 * exact / 1e9
        #expect(isNear(mean(outcome.waits), load * exact / (2 * (1 - load)), within: 0.06))
    }

    @Test(.timeLimit(.minutes(2))) func accessesThatShareAProcessorTakeLonger() throws {
        // M/M/1 with processor sharing, at ρ = 0.5: E[T] = s / (1 − ρ). Accesses do not wait.
        let outcome = try simulate(
            rate: 500,
            Self.exponential,
            on: .pool(readers: 1000),
            processors: 1
        )
        #expect(outcome.waits.allSatisfy { $0 == 0 })
        let service = outcome.service[0]
        #expect(isNear(service.sum / Double(service.count), 2 * Self.service, within: 0.06))
    }

    @Test(.timeLimit(.minutes(2))) func sufficientProcessorsHaveNoEffect() throws {
        let outcome = try simulate(
            rate: 500,
            Self.exponential,
            on: .pool(readers: 1000),
            seconds: 20,
            processors: 16
        )
        let service = outcome.service[0]
        #expect(isNear(service.sum / Double(service.count), Self.service, within: 0.03))
    }

    @Test func theFactorOfASecondIsItsRelativeMeanServiceTime() {
        func second(_ number: Int, count: UInt64, mean: UInt64) -> IntervalResult {
            IntervalResult(
                time: Double(number) + 1.02,
                duration: 1.01,
                phase: "steady",
                measured: true,
                clients: [
                    "ui": .init(
                        completed: count,
                        throughput: Double(count),
                        service: LatencySummary(count: count, mean: mean, max: mean)
                    )
                ]
            )
        }
        let seconds = ServiceSeconds(
            of: "ui",
            in: [
                second(0, count: 100, mean: 1_000), second(1, count: 100, mean: 3_000),
                // This second contains too few accesses to be classified as slow.
                second(2, count: 5, mean: 90_000),
            ]
        )
        #expect(seconds.factor(at: 0.5e9) == 0.5)
        #expect(seconds.factor(at: 1.5e9) == 1.5)
        #expect(seconds.factor(at: 2.5e9) == 1)
        #expect(seconds.factor(at: 9e9) == 1)
        #expect(ServiceSeconds(of: "pay", in: []).factor(at: 0) == 1)
    }

    @Test func processorsAreSharedEvenly() throws {
        var processors = SharedProcessors(count: 2)
        #expect(processors.nextEnd == nil)
        for job in 0..<4 { processors.add(job, demand: Double(10 + job), at: 0) }
        // Four jobs share two processors, so each job runs at half speed.
        #expect(processors.nextEnd == 20)
        #expect(processors.take(at: 20) == 0)
        // Three jobs remain. Each needs one nanosecond more than the previous one.
        #expect(processors.nextEnd == 21.5)
        #expect(processors.take(at: 21.5) == 1)
        #expect(processors.nextEnd == 22.5)
        #expect(processors.take(at: 22.5) == 2)
        #expect(processors.take(at: 23.5) == 3)
        #expect(processors.nextEnd == nil)
    }

    @Test func aWriterWaitsForReadersOnlyInAQueue() throws {
        // Each access takes about 20 ms, so the writer often arrives during a read.
        var load = RecordedLoad.test(rate: 100, length: 1_000_000_000, workers: 4)
        load.clients["pay"] = RecordedLoad.Client(
            workers: 1,
            style: "sync",
            operations: [.init(name: "pay", weight: 1, access: "write")],
            think: .init(least: 1_000_000, most: 1_000_000)
        )
        var model = try #require(ServiceModel(Self.constant, processorMean: 0))
        model.delay = 20
        func waits(on setting: WhatIfSetting) throws -> [Double] {
            let plan = try load.makePlan()
            var simulation = AccessSimulation(
                plan.clients.map { AccessSimulation.Client(plan: $0, services: [model]) },
                in: plan.phases,
                on: setting,
                processors: 1,
                random: RandomStream(seed: 7, stream: "test")
            )
            simulation.run()
            // Clients are in alphabetical order, so `pay` is the first client.
            return simulation.outcomes[0].waits
        }
        #expect(try waits(on: .pool(readers: 1)).allSatisfy { $0 == 0 })
        #expect(try waits(on: .queue).contains { $0 > 0 })
    }

    @Test func theSmallestElementComesFirst() {
        var heap = MinimumHeap<Int>(<)
        var random = RandomStream(seed: 1, stream: "heap")
        let values = (0..<500).map { _ in Int(random.next(below: 1000)) }
        for value in values { heap.push(value) }
        var sorted: [Int] = []
        while let value = heap.pop() { sorted.append(value) }
        #expect(sorted == values.sorted())
    }
}

extension RecordedLoad {
    /// Returns a load with one reading client at the given rate.
    static func test(rate: Double, length: UInt64, workers: Int) -> RecordedLoad {
        RecordedLoad(
            kind: "pool",
            library: "engine",
            readers: 1,
            isWAL: true,
            seed: 42,
            phases: [.init(name: "steady", length: length, measured: true)],
            drain: 0,
            clients: [
                "ui": Client(
                    workers: workers,
                    style: "sync",
                    operations: [.init(name: "get", weight: 1, access: "read")],
                    arrivals: Arrivals(process: "poisson", rate: rate)
                )
            ]
        )
    }
}
