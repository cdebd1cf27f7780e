import Testing

@testable import Capture

/// Tests the choice between an open and a closed loop for loads of a known kind.
struct PaceDecisionTests {
    /// A seeded random number generator.
    private struct Random {
        private var state: UInt64
        init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
        mutating func unit() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) / Double(1 << 53)
        }
        mutating func exponential(_ mean: Double) -> Double {
            -mean * log(max(unit(), 1e-12))
        }
        private func log(_ x: Double) -> Double {
            // Shift the argument into the range where the series converges quickly. This is precise
            // enough for a test.
            var x = x
            var sum = 0.0
            while x < 0.5 {
                x *= 2
                sum -= 0.693_147_180_559_945_3
            }
            let y = (x - 1) / (x + 1)
            var term = y
            var series = 0.0
            for n in stride(from: 1.0, through: 41, by: 2) {
                series += term / n
                term *= y * y
            }
            return sum + 2 * series
        }
    }

    /// Returns the visits of workers that pause after each transaction.
    private func closedLoop(workers: Int, service: Double, think: Double, seed: UInt64) -> [Visit] {
        var random = Random(seed)
        var visits: [Visit] = []
        for worker in 0..<workers {
            var time = random.exponential(think + service)
            while time < 60 {
                let length = random.exponential(service)
                visits.append(Visit(connection: worker, shape: 0, start: time, end: time + length))
                time += length + random.exponential(think)
            }
        }
        return visits.sorted { $0.start < $1.start }
    }

    /// Returns the visits of scheduled arrivals.
    ///
    /// Each arrival uses the first free connection.
    private func openLoop(workers: Int, service: Double, rate: Double, seed: UInt64) -> [Visit] {
        var random = Random(seed)
        var free = Array(repeating: 0.0, count: workers)
        var visits: [Visit] = []
        var time = 0.0
        while true {
            time += random.exponential(1 / rate)
            guard time < 60 else { break }
            let worker = free.indices.min { free[$0] < free[$1] } ?? 0
            let start = max(time, free[worker])
            let length = random.exponential(service)
            free[worker] = start + length
            visits.append(Visit(connection: worker, shape: 0, start: start, end: start + length))
        }
        return visits.sorted { $0.start < $1.start }
    }

    @Test(arguments: [1, 2, 4, 8], [UInt64(1), 2, 3])
    func aClosedLoopIsRecognized(workers: Int, seed: UInt64) {
        let visits = closedLoop(workers: workers, service: 0.004, think: 0.01, seed: seed)
        let decision = PaceDecision(visits, connections: workers, span: 0...60, isTimed: true)
        #expect(decision.isClosed, "\(decision.evidence)")
        #expect(abs(decision.pauses.mean - 0.01) < 0.001)
    }

    @Test(arguments: [1, 2, 4, 8], [UInt64(1), 2, 3])
    func anOpenLoopIsRecognized(workers: Int, seed: UInt64) {
        let rate = 0.3 * Double(workers) / 0.004
        let visits = openLoop(workers: workers, service: 0.004, rate: rate, seed: seed)
        let decision = PaceDecision(visits, connections: workers, span: 0...60, isTimed: true)
        // With one connection, an arrival waits for the previous one, as in a closed loop.
        if workers > 1 { #expect(!decision.isClosed, "\(decision.evidence)") }
    }

    /// Evenly scheduled transactions rarely overlap, even in an open loop.
    @Test func evenArrivalsAreNotAClosedLoop() {
        var visits: [Visit] = []
        for index in 0..<20_000 {
            let start = Double(index) * 0.003
            // One transaction in ten is still running at the next arrival.
            let length = index.isMultiple(of: 10) ? 0.004 : 0.002
            visits.append(
                Visit(connection: index % 4, shape: 0, start: start, end: start + length)
            )
        }
        let decision = PaceDecision(visits, connections: 4, span: 0...60, isTimed: true)
        #expect(!decision.isClosed, "\(decision.evidence)")
    }

    @Test func connectionsWithoutPausesAreAClosedLoop() {
        let visits = closedLoop(workers: 4, service: 0.01, think: 0.000_1, seed: 9)
        let decision = PaceDecision(visits, connections: 4, span: 0...60, isTimed: true)
        #expect(decision.isClosed && decision.evidence.contains("of the time"))
    }

    /// Returns the visits of threads that share too few processors.
    ///
    /// Each thread runs for 3 ms and then waits for the other threads.
    private func starvedLoop(workers: Int, processors: Int) -> [Visit] {
        var visits: [Visit] = []
        for slice in 0..<2_000 {
            let start = Double(slice / processors) * 0.003
            for number in 0..<300 {
                let time = start + Double(number) * 10e-6
                let worker = slice % workers
                visits.append(
                    Visit(connection: worker, shape: 0, start: time, end: time + 8e-6)
                )
            }
        }
        return visits.sorted { $0.start < $1.start }
    }

    @Test func connectionsThatWaitForAProcessorHaveNoThinkTime() {
        let visits = starvedLoop(workers: 8, processors: 2)
        let end = visits.last?.end ?? 0
        let decision = PaceDecision(visits, connections: 8, span: 0...end, isTimed: true)
        #expect(decision.isClosed && decision.isSaturated, "\(decision.evidence)")
        let clients = ClientInference(visits: visits, span: 0...end, isTimed: true).clients()
        #expect(clients.map(\.pace) == [.closed(nil)] && clients[0].workers == 8)
    }

    /// The transactions in a burst follow each other immediately, but connections pause between
    /// bursts.
    @Test func burstsAreNotSaturation() {
        let visits = (0..<2_000).map { index in
            let start = Double(index / 40) * 0.5 + Double(index % 40) * 10e-6
            return Visit(connection: 0, shape: 0, start: start, end: start + 8e-6)
        }
        let decision = PaceDecision(visits, connections: 1, span: 0...25, isTimed: true)
        #expect(!decision.isSaturated)
    }

    @Test func anUndecidedLoadUsesTheObservedRate() {
        let short = closedLoop(workers: 1, service: 0.000_01, think: 0.05, seed: 3)
        let decision = PaceDecision(short, connections: 1, span: 0...60, isTimed: true)
        #expect(!decision.isClosed && decision.evidence.contains("too short"))
        let few = Array(short.prefix(10))
        #expect(
            PaceDecision(few, connections: 1, span: 0...60, isTimed: true)
                .evidence.contains("too few")
        )
        #expect(
            PaceDecision(short, connections: 1, span: 0...60, isTimed: false)
                .evidence.contains("durations are unknown")
        )
    }

    // MARK: Clients

    @Test func connectionsWithDifferentMixesAreSeparateClients() {
        var visits = closedLoop(workers: 3, service: 0.001, think: 0.02, seed: 5)
        for index in visits.indices where visits[index].connection == 2 { visits[index].shape = 7 }
        let clients = ClientInference(visits: visits, span: 0...60, isTimed: true).clients()
        #expect(clients.map(\.connections) == [[0, 1], [2]])
        #expect(Set(clients.map(\.name)) == ["client-1", "client-2"])
    }

    @Test func aRareConnectionIsAClientOnlyIfNoOtherConnectionRunsItsTransactions() {
        for (shape, names) in [(7, [[0, 1], [5]]), (0, [[0, 1, 5]])] as [(Int, [Set<Int>])] {
            var visits = closedLoop(workers: 2, service: 0.001, think: 0.02, seed: 5)
            for start in stride(from: 1.0, to: 59, by: 10) {
                visits.append(Visit(connection: 5, shape: shape, start: start, end: start + 1.5))
            }
            visits.sort { $0.start < $1.start }
            let clients = ClientInference(visits: visits, span: 0...60, isTimed: true).clients()
            #expect(clients.map(\.connections) == names)
        }
    }

    /// A connection that only sets up the database does not run alongside other connections.
    @Test func aShortLivedConnectionIsNotAWorker() {
        var visits = closedLoop(workers: 3, service: 0.001, think: 0.02, seed: 5)
        visits.insert(Visit(connection: 9, shape: 4, start: 0, end: 0.001), at: 0)
        let clients = ClientInference(visits: visits, span: 0...60, isTimed: true).clients()
        #expect(clients.map(\.workers) == [3])
        #expect(clients[0].connections == [0, 1, 2, 9])
    }

    @Test func theRateOfASingleTransactionIsNotDerivedFromItsDuration() {
        let visits = [Visit(connection: 0, shape: 0, start: 5, end: 5)]
        let clients = ClientInference(visits: visits, span: 5...5, isTimed: true).clients()
        guard case .open(let reads, _) = clients.first?.pace else {
            Issue.record("a single transaction has no closed loop")
            return
        }
        #expect(reads.rates == [1])
    }

    @Test func connectionsThatComeAndGoAreOneClient() {
        var visits = closedLoop(workers: 1, service: 0.001, think: 0.02, seed: 5)
        for index in visits.indices {
            visits[index].connection = index
            visits[index].shape = index % 2
        }
        let clients = ClientInference(visits: visits, span: 0...60, isTimed: true).clients()
        #expect(clients.map(\.name) == ["app"])
        #expect(clients[0].evidence[0].contains("short-lived connections"))
    }

    /// Occasional delays caused by another process are not pauses.
    @Test func rareGapsAreNotPauses() {
        var time = 0.0
        let visits = (0..<2000).map { index in
            time += index.isMultiple(of: 10) ? 0.005 : 0.000_001
            let visit = Visit(connection: 0, shape: 0, start: time, end: time + 0.002)
            time = visit.end
            return visit
        }
        let clients = ClientInference(visits: visits, span: 0...time, isTimed: true).clients()
        #expect(clients[0].pace == .closed(nil), "\(clients[0].evidence)")
    }

    /// On a busy machine, a third of the transactions wait for a processor before they start.
    @Test(arguments: [(true, false), (false, true)])
    func waitsForAProcessorAreNotThinkTimes(isMachineBusy: Bool, hasThinkTime: Bool) {
        var time = 0.0
        let visits = (0..<2000).map { index in
            time += index.isMultiple(of: 3) ? 0.001 : 0.000_01
            let visit = Visit(connection: 0, shape: 0, start: time, end: time + 0.002)
            time = visit.end
            return visit
        }
        let clients = ClientInference(
            visits: visits,
            span: 0...time,
            isTimed: true,
            isMachineBusy: isMachineBusy
        ).clients()
        guard case .closed(let think) = clients[0].pace else {
            Issue.record("not a closed loop: \(clients[0].evidence)")
            return
        }
        #expect((think != nil) == hasThinkTime, "\(clients[0].evidence)")
    }

    /// Threads cannot sleep for as little as 80 µs.
    ///
    /// In long transactions, such a pause hardly changes the rate.
    @Test(arguments: [(0.000_8, false), (0.000_3, true)])
    func aThinkTimeThatIsTooShortToSleepIsOmitted(service: Double, hasThinkTime: Bool) {
        let visits = (0..<2000).map { index in
            let start = Double(index) * (service + 0.000_08)
            return Visit(connection: 0, shape: 0, start: start, end: start + service)
        }
        let end = visits.last?.end ?? 0
        let clients = ClientInference(visits: visits, span: 0...end, isTimed: true).clients()
        guard case .closed(let think) = clients[0].pace else {
            Issue.record("not a closed loop: \(clients[0].evidence)")
            return
        }
        #expect((think != nil) == hasThinkTime, "\(clients[0].evidence)")
    }

    /// One of four connections waits for a lock after the first 20 of 60 s.
    @Test func aConnectionThatWaitsForALockDoesNotComeAndGo() {
        let visits = closedLoop(workers: 4, service: 0.004, think: 0, seed: 5)
            .filter { $0.connection > 0 || $0.start < 20 }
        let clients = ClientInference(visits: visits, span: 0...60, isTimed: true).clients()
        #expect(clients.map(\.workers) == [4])
        #expect(clients[0].evidence[0].contains("4 connections with the same mix"))
    }

    @Test func connectionsThatFollowEachOtherComeAndGo() {
        var visits = closedLoop(workers: 1, service: 0.004, think: 0.01, seed: 5)
        for index in visits.indices { visits[index].connection = index / 100 }
        let clients = ClientInference(visits: visits, span: 0...60, isTimed: true).clients()
        #expect(clients.map(\.workers) == [1])
        #expect(clients[0].evidence[0].contains("short-lived connections"))
    }

    @Test func aChangingRateIsDividedIntoStages() {
        var visits = openLoop(workers: 4, service: 0.000_01, rate: 200, seed: 8)
        visits.removeAll { $0.start > 30 && $0.start < 48 }
        let clients = ClientInference(visits: visits, span: 0...60, isTimed: true).clients()
        guard case .open(let reads, _) = clients[0].pace else {
            Issue.record("not an open loop: \(clients[0].evidence)")
            return
        }
        #expect(reads.rates.count == 10)
        #expect(reads.rates[0] > 150 && reads.rates[6] == 0)
    }

    /// A timer writes at equal times, on a connection that reads at random times.
    @Test func readsAndWritesHaveTheirOwnSchedules() {
        var visits = openLoop(workers: 1, service: 0.000_01, rate: 50, seed: 8)
        visits += (0..<600).map {
            Visit(connection: 0, shape: 1, start: Double($0) / 10, end: Double($0) / 10 + 0.0001)
        }
        visits.sort { $0.start < $1.start }
        let clients = ClientInference(
            visits: visits,
            span: 0...60,
            isTimed: true,
            writingShapes: [1]
        ).clients()
        guard case .open(let reads, let writes) = clients[0].pace else {
            Issue.record("not an open loop: \(clients[0].evidence)")
            return
        }
        #expect(!reads.isEven && writes.isEven)
        #expect(abs(writes.rates[0] - 10) < 0.01)
    }
}
