import Scenarios
import Telemetry
import Testing

@testable import LoadTestSupport
@testable import WorkloadEngine

/// Tests the samples of a run, and the totals of its database statuses.
@Suite(.timeLimit(.minutes(5)))
struct SamplerTests {
    @Test func tenSamplesPerSecondReportPhasesAndThroughput() async throws {
        let samples = Lock<[Sample]>([])
        let target = FakeTarget(clock: SimulatedClock(), .init(service: { _ in milliseconds(10) }))
        let scenario = Scenario.test([.reader()], warmUp: .seconds(2), measured: .seconds(5))
        _ = try await WorkloadRun.simulated(scenario, on: target) { sample in
            samples.withLock { $0.append(sample) }
        }.run()
        let seen = samples.withLock { $0 }
        #expect(seen.first?.state == .preparing)
        #expect(seen.last?.state == .finished)
        let running = seen.filter { $0.state == .running }
        #expect((69...72).contains(running.count))
        #expect(running.map(\.phase).first == "warm-up")
        #expect(running.map(\.phase).last == "steady")
        #expect(zip(running.dropFirst(), running).allSatisfy { $0.sequence == $1.sequence + 1 })
        let middle = try #require(running.first { $0.time >= 4.05 })
        #expect(middle.plannedDuration == 7)
        let client = try #require(middle.clients.first)
        #expect(abs(client.throughput - 100) < 2)
        #expect(client.service?.p50 != nil)
        #expect(client.counts.isBalanced)
        #expect(seen.flatMap(\.events).map(\.message).contains("phase steady starts"))
    }

    @Test func oneSamplePerSecondContainsTheDistributionsOfOperations() async throws {
        let samples = Lock<[Sample]>([])
        let target = FakeTarget(clock: SimulatedClock(), .init(service: { _ in milliseconds(10) }))
        let scenario = Scenario.test([.reader()], warmUp: .seconds(2), measured: .seconds(5))
        _ = try await WorkloadRun.simulated(scenario, on: target) { sample in
            samples.withLock { $0.append(sample) }
        }.run()
        let running = samples.withLock { $0 }.filter { $0.state == .running }
        let seconds = running.compactMap { $0.clients.first?.operations }
        #expect((5...8).contains(seconds.count))
        let second = try #require(seconds.dropFirst().first?.first)
        // The second contains a hundred accesses of ten milliseconds each.
        #expect((98...102).contains(second.service.count))
        let bucket = LatencyDistribution.bucket(of: milliseconds(10))
        let near = (bucket - 1...bucket + 1).reduce(0) { $0 + Int(second.service[$1]) }
        #expect(near == Int(second.service.count))
        #expect(running.first { $0.time < 1.5 }?.isMeasured == false)
        #expect(running.first { $0.time > 3 }?.isMeasured == true)
    }

    @Test func databaseStatusesAreAccumulated() async throws {
        let clock = SimulatedClock()
        let start = clock.now()
        let target = FakeTarget(
            clock: clock,
            .init(
                hasSnapshots: false,
                status: { now in
                    // From second 4, all four readers are held and an access waits. The log grows
                    // by one byte per microsecond.
                    let elapsed = now - start
                    let fullTime = elapsed > milliseconds(4000) ? elapsed - milliseconds(4000) : 0
                    let isFull = fullTime > 0
                    return DatabaseStatus(
                        label: "fake",
                        kind: .pool,
                        takenAtNanoseconds: now,
                        readers: ReaderPoolStatus(
                            inUse: isFull ? 4 : 0,
                            open: 4,
                            maximum: 4,
                            peak: 4,
                            busyNanoseconds: fullTime * 4,
                            saturatedNanoseconds: fullTime
                        ),
                        waitingReaders: isFull
                            ? [WaiterStatus(origin: .init(name: "ui"), waitedNanoseconds: fullTime)]
                            : [],
                        wal: WALStatus(
                            bytes: elapsed / 1000,
                            pin: isFull
                                ? WALPin(
                                    by: .init(name: "report"),
                                    cause: .oldReader,
                                    ageNanoseconds: fullTime
                                ) : nil
                        )
                    )
                }
            )
        )
        let scenario = Scenario.test(
            [.reader(pace: .closed(think: .milliseconds(50)))],
            warmUp: .seconds(2),
            measured: .seconds(8)
        )
        let result = try await WorkloadRun.simulated(scenario, on: target).run()
        let pool = try #require(result.pool)
        #expect(pool.maximumReaderCount == 4)
        #expect(pool.readersPeak == 4)
        #expect(pool.waitingReadersPeak == 1)
        #expect(pool.peaksAreSampled == true)
        #expect(pool.waitingWritersPeak == 0)
        #expect(abs(try #require(pool.utilization) - 0.75) < 0.001)
        #expect(abs(try #require(pool.saturation) - 0.75) < 0.001)
        let wal = try #require(result.wal)
        #expect(wal.peakBytes == 10_000_000)
        let pin = try #require(wal.pins.first)
        #expect(pin.by == "report")
        #expect(pin.cause == "oldReader")
        #expect((5.8...6.1).contains(pin.seconds))
        #expect((5_800_000...6_100_000).contains(pin.bytes))
        #expect(result.intervals.last?.saturation == 1)
        #expect(result.value(of: "wal.bytes", "max") == 10_000_000)
    }

    @Test func theCountsOfTheLibraryReplaceSamples() {
        func status(at time: UInt64, reads: Int, writes: Int, inUse: Int) -> DatabaseStatus {
            var status = DatabaseStatus(label: "fake", kind: .pool, takenAtNanoseconds: time)
            status.readers = ReaderPoolStatus(inUse: 0, open: 4, maximum: 4, peak: inUse)
            status.waitingReadersPeak = reads
            status.waitingWritersPeak = writes
            return status
        }
        var watch = DatabaseWatch()
        // The first status belongs to the warm-up, and the last status follows the measured part.
        _ = watch.add(status(at: 0, reads: 9, writes: 9, inUse: 4), isMeasured: false)
        _ = watch.add(status(at: 1, reads: 5, writes: 2, inUse: 2), isMeasured: true)
        _ = watch.add(status(at: 2, reads: 6, writes: 2, inUse: 3), isMeasured: true)
        _ = watch.add(status(at: 3, reads: 9, writes: 9, inUse: 4), isMeasured: false)
        let pool = watch.poolResult()
        #expect(pool?.waitingReadersPeak == 6)
        #expect(pool?.waitingWritersPeak == 2)
        #expect(pool?.readersPeak == 3)
        #expect(pool?.peaksAreSampled == nil)
    }

    @Test func thePeakOfALogIsNeverBelowItsFinalSize() throws {
        func status(at time: UInt64, bytes: UInt64) -> DatabaseStatus {
            DatabaseStatus(
                label: "fake",
                kind: .queue,
                takenAtNanoseconds: time,
                wal: WALStatus(bytes: bytes)
            )
        }
        var watch = DatabaseWatch()
        _ = watch.add(status(at: 1, bytes: 100), isMeasured: true)
        _ = watch.add(status(at: 2, bytes: 150), isMeasured: false)
        let wal = try #require(watch.walResult())
        #expect(wal.peakBytes == 150)
        #expect(wal.finalBytes == 150)
    }

    @Test func aTargetWithoutAStatusHasNoPool() async throws {
        let target = FakeTarget(clock: SimulatedClock())
        let scenario = Scenario.test([.reader(pace: .closed(think: .milliseconds(50)))])
        let result = try await WorkloadRun.simulated(scenario, on: target).run()
        #expect(result.pool == nil)
        #expect(result.wal == nil)
        #expect(result.snapshots == nil)
        #expect(result.interrupts == nil)
    }

    @Test func aSlowReaderOfTheStreamReceivesAllEvents() async throws {
        let target = FakeTarget(clock: SimulatedClock())
        let scenario = Scenario.test(
            [.reader(pace: .closed(think: .milliseconds(50)))],
            warmUp: .seconds(1)
        )
        let run = WorkloadRun.simulated(scenario, on: target)
        _ = try await run.run()
        var samples: [Sample] = []
        for await sample in run.samples { samples.append(sample) }
        #expect(samples.count == 1, "the newest sample is kept")
        #expect(samples.first?.state == .finished)
        let messages = samples.flatMap(\.events).map(\.message)
        #expect(messages == ["phase warm-up starts", "phase steady starts"])
    }
}
