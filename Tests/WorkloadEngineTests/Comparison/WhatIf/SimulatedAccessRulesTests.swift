import Telemetry
import Testing

@testable import WorkloadEngine

/// Tests simulated interrupts, overtaking, and holds.
struct SimulatedAccessRulesTests {
    private func constant(_ time: UInt64) -> LatencySpectrum {
        var spectrum = LatencySpectrum()
        spectrum.add(time, count: 1000)
        return spectrum
    }

    /// Returns a model of accesses that each need about `time` nanoseconds of processor time.
    private func workModel(_ time: UInt64) throws -> ServiceModel {
        try #require(ServiceModel(constant(time), processorMean: time))
    }

    /// Simulates several clients for one second.
    ///
    /// `service` returns the service times for the name of a client.
    private func simulate(
        _ clients: [String: RecordedLoad.Client],
        readers: Int = 1,
        processors: Int = 4,
        interrupts: [String: AccessSimulation.Interrupts] = [:],
        isOvertaking: Bool = false,
        service: (String) throws -> ServiceModel
    ) throws -> [String: AccessSimulation.Outcome] {
        var load = RecordedLoad.test(rate: 1, length: 1_000_000_000, workers: 1)
        load.clients = clients
        let plan = try load.makePlan()
        let simulated = try plan.clients.map { client in
            let name = client.name.name
            return AccessSimulation.Client(
                plan: client,
                services: interrupts[name] == nil ? [try service(name)] : [],
                isTask: clients[name]?.style == "async",
                interrupts: interrupts[name]
            )
        }
        var simulation = AccessSimulation(
            simulated,
            in: plan.phases,
            on: .pool(readers: readers),
            processors: processors,
            isOvertaking: isOvertaking,
            random: RandomStream(seed: 7, stream: "test")
        )
        simulation.run()
        return Dictionary(
            uniqueKeysWithValues: zip(plan.clients.map(\.name.name), simulation.outcomes)
        )
    }

    private func reader(workers: Int = 1, think: UInt64 = 0) -> RecordedLoad.Client {
        RecordedLoad.Client(
            workers: workers,
            style: "sync",
            operations: [.init(name: "read", weight: 1, access: "read")],
            think: .init(least: think, most: think)
        )
    }

    private func canceler(of victim: String, every: UInt64) -> RecordedLoad.Client {
        RecordedLoad.Client(
            workers: 1,
            style: "sync",
            operations: [],
            interrupts: victim,
            every: every
        )
    }

    // MARK: Arrivals

    /// A damaged result can contain any rate.
    @Test(.timeLimit(.minutes(1)))
    func aSimulationWithTooManyArrivalsEnds() throws {
        var client = reader()
        client.think = nil
        client.arrivals = .init(process: "even", rate: 1e300, skipAfter: 1_000_000)
        let outcomes = try simulate(["ui": client]) { _ in try workModel(1_000_000) }
        let outcome = try #require(outcomes["ui"])
        #expect(outcome.skipped == AccessSimulation.limit)
    }

    // MARK: Interrupts

    @Test func interruptedAccessesDoNotComplete() throws {
        let clients = ["search": reader(), "cancel": canceler(of: "*", every: 10_000_000)]
        func completed(_ interrupts: AccessSimulation.Interrupts) throws -> Int {
            let outcomes = try simulate(clients, interrupts: ["cancel": interrupts]) { _ in
                try workModel(50_000_000)
            }
            return try #require(outcomes["search"]).waits.count
        }
        // Each access except the last one is interrupted long before it would end.
        #expect(try completed(.init(victim: nil, latency: 1e6)) == 0)
        #expect(try completed(.init(victim: "search", latency: 1e6)) == 0)
        // These interrupts target another client.
        #expect(try completed(.init(victim: "ui", latency: 1e6)) >= 18)
        // An access that ends before SQLite checks for interrupts is not interrupted.
        #expect(try completed(.init(victim: nil, latency: 60e6)) >= 18)
    }

    @Test func anInterruptDoesNotAffectAHoldWithoutAStatement() throws {
        let hold = RecordedLoad.Client(
            workers: 1,
            style: "sync",
            operations: [.init(name: "hold", weight: 1, access: "read")],
            hold: 90_000_000,
            think: .init(least: 0, most: 0)
        )
        let model = try #require(
            ServiceModel(
                constant(90_100_000),
                exactMean: 90_100_000,
                processorMean: 50_000_000,
                hold: 90_000_000
            )
        )
        let outcomes = try simulate(
            ["report": hold, "cancel": canceler(of: "*", every: 10_000_000)],
            interrupts: ["cancel": .init(victim: nil, latency: 0)]
        ) { _ in model }
        #expect(outcomes["report"]?.waits.count == 11)
    }

    // MARK: Overtaking

    /// Uses two workers without think time on one reader.
    @Test func anAwakeWorkerOvertakesARecentWaiter() throws {
        let clients = ["read": reader(workers: 2)]
        func waits(isOvertaking: Bool) throws -> [Double] {
            let outcomes = try simulate(clients, isOvertaking: isOvertaking) { _ in
                try workModel(20_000)
            }
            return try #require(outcomes["read"]).waits
        }
        let inOrder = try waits(isOvertaking: false)
        let overtaking = try waits(isOvertaking: true)
        // The workers alternate. Each worker waits for the access of the other worker.
        #expect(inOrder.dropFirst(2).allSatisfy { $0 > 15_000 && $0 < 25_000 })
        // One worker continues until the other worker has waited for a millisecond.
        #expect(overtaking.count { $0 == 0 } > overtaking.count * 8 / 10)
        #expect(overtaking.contains { $0 >= 1e6 })
        #expect(overtaking.allSatisfy { $0 < 1.2e6 })
    }

    @Test func tasksAreNotOvertaken() throws {
        var client = reader(workers: 2)
        client.style = "async"
        let outcomes = try simulate(["read": client], isOvertaking: true) { _ in
            try workModel(20_000)
        }
        #expect(try #require(outcomes["read"]).waits.allSatisfy { $0 < 25_000 })
    }

    /// Two readers become free while a thread wakes up, and a task waits behind the thread.
    @Test func aTaskDoesNotSleepWhileAReaderReservedForAThreadIsFree() throws {
        func singleAccess(_ style: String, at time: UInt64) -> RecordedLoad.Client {
            RecordedLoad.Client(
                workers: 1,
                style: style,
                operations: [.init(name: "read", weight: 1, access: "read")],
                at: time
            )
        }
        // Both readers are held from 10 ms to 11 ms. Accesses that arrive during this time must
        // wait.
        let clients = [
            "a-first": singleAccess("sync", at: 10_000_000),
            "b-second": singleAccess("sync", at: 10_010_000),
            "c-thread": singleAccess("sync", at: 10_900_000),
            "d-task": singleAccess("async", at: 10_910_000),
        ]
        let outcomes = try simulate(clients, readers: 2, isOvertaking: true) { name in
            try workModel(name < "c" ? 1_000_000 : 500_000_000)
        }
        let waits = outcomes.compactMapValues { $0.waits.first }
        #expect(waits["a-first"] == 0 && waits["b-second"] == 0)
        #expect(try #require(waits["c-thread"]) > 0)
        #expect(try #require(waits["d-task"]) < 1e6)
    }

    // MARK: Waking up

    /// Uses two workers without think time on one reader, and a writer that is always busy.
    @Test func wakingThreadsSometimesWaitForATickOnBusyProcessors() throws {
        var writer = reader()
        writer.operations = [.init(name: "write", weight: 1, access: "write")]
        func waits(processors: Int) throws -> [Double] {
            let outcomes = try simulate(
                ["read": reader(workers: 2), "write": writer],
                processors: processors
            ) { name in try workModel(name == "read" ? 2_000_000 : 100_000_000) }
            return Array(try #require(outcomes["read"]).waits.dropFirst(2))
        }
        #expect(try waits(processors: 2).allSatisfy { $0 < 2.1e6 })
        // The workers share the processor, so each worker waits for 4 ms. Some waits last an
        // additional tick of 4 ms.
        let waits = try waits(processors: 1)
        let late = waits.filter { $0 > 4.2e6 }
        #expect((0.08...0.3).contains(Double(late.count) / Double(waits.count)))
        #expect(late.allSatisfy { $0 < 8.3e6 } && late.contains { $0 > 6e6 })
    }

    // MARK: Holds

    /// The resolution of a spectrum at 1.2 s is 67 ms.
    ///
    /// Holds of this requested length must still end within a few milliseconds of each other.
    @Test func aHoldLastsAsLongAsRequested() throws {
        var spectrum = LatencySpectrum()
        spectrum.add(1_200_300_000, count: 9)
        spectrum.add(1_900_000_000, count: 1)
        let late = try #require(spectrum.buckets.last)
        let mean = (9 * 1_200_300_000 + late.middle) / 10
        let model = try #require(
            ServiceModel(
                spectrum,
                exactMean: UInt64(mean),
                processorMean: 100_000,
                hold: 1_200_000_000
            )
        )
        var random = RandomStream(seed: 3, stream: "holds")
        let times = (0..<5_000).map { _ in model.draw(using: &random).minimum }
        let usual = times.filter { $0 < 1.5e9 }
        #expect(abs(Double(usual.count) / 5_000 - 0.9) < 0.03)
        #expect(usual.allSatisfy { $0 >= 1.2e9 && $0 < 1.206e9 })
        let excess = usual.reduce(0) { $0 + $1 - 1.2e9 } / Double(usual.count)
        #expect(abs(excess - 300_000) < 30_000)
        // A hold that overran in the recording also overruns in the simulation.
        #expect(times.contains { $0 >= Double(late.lower) && $0 <= Double(late.upper) })
    }

    /// A hold of 50 ms is near the end of its bucket.
    ///
    /// Slightly longer holds belong to the next bucket.
    @Test func aHoldNearTheEndOfItsBucketIsAlsoExact() throws {
        var spectrum = LatencySpectrum()
        spectrum.add(50_200_000, count: 5)
        spectrum.add(50_600_000, count: 5)
        #expect(spectrum.buckets.count == 2)
        let model = try #require(
            ServiceModel(spectrum, exactMean: 50_400_000, processorMean: 0, hold: 50_000_000)
        )
        var random = RandomStream(seed: 3, stream: "holds")
        let times = (0..<5_000).map { _ in model.draw(using: &random).minimum }
        #expect(times.allSatisfy { $0 >= 50e6 && $0 < 53.5e6 })
        #expect(abs(times.reduce(0, +) / 5_000 - 50.4e6) < 0.03e6)
    }

    // MARK: Parts of the simulation

    @Test func aJobCanBeShortened() {
        var processors = SharedProcessors(count: 1)
        processors.add(0, demand: 100, at: 0)
        processors.add(1, demand: 100, at: 0)
        #expect(processors.isBusy)
        // Each job has received 10 of its 100 units. The first job receives five more.
        let isShortened = processors.shorten(0, to: 5, at: 20)
        #expect(isShortened)
        #expect(processors.nextEnd == 30)
        #expect(processors.take(at: 30) == 0)
        // A job cannot be lengthened, and a job that does not exist cannot be shortened.
        let isLengthened = processors.shorten(1, to: 500, at: 30)
        let isFound = processors.shorten(0, to: 5, at: 30)
        #expect(!isLengthened && !isFound)
        #expect(processors.nextEnd == 115)
        #expect(processors.take(at: 115) == 1)
        #expect(!processors.isBusy)
    }

    @Test func aHeapRemainsOrderedWhenElementsAreRemoved() {
        var heap = MinimumHeap<Int>(<)
        for value in [5, 3, 8, 1, 9, 2, 7] { heap.push(value) }
        let even = heap.removeAll { $0 % 2 == 0 }
        let large = heap.removeAll { $0 > 100 }
        #expect(even.sorted() == [2, 8])
        #expect(large.isEmpty)
        var rest: [Int] = []
        while let value = heap.pop() { rest.append(value) }
        #expect(rest == [1, 3, 5, 7, 9])
    }
}
