import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

/// Tests the dashboard of an attached program, which has no simulated load.
struct ProgramGoldenTests {
    private static let lossTime = 20.0

    /// Returns the samples of a story, presented as a program that restarts at 24 s.
    private func samples(until end: Double, allowsControl: Bool = false) -> [Sample] {
        Story().samples(until: end).map { sample in
            var sample = sample
            let isRestarted = sample.time >= 24
            let isLost = sample.time >= Self.lossTime && !isRestarted
            sample.program = ProgramStatus(
                process: isRestarted ? 4712 : 4711,
                isConnected: !isLost,
                allowsControl: allowsControl
            )
            sample.scenario = "shop"
            (sample.arm, sample.arms, sample.phase) = ("", [], "")
            (sample.plannedDuration, sample.settings, sample.isMeasured) = (nil, nil, nil)
            sample.clients = ["reads", "writes"].map { name in
                var client = ClientStatus(name: name, activity: "", throughput: 1_200)
                client.wait = LatencySummary(count: 900, mean: 9_000, p50: 4_000, max: 70_000)
                client.service = LatencySummary(
                    count: 90_000,
                    mean: 90_000,
                    p50: 40_000,
                    p99: 900_000,
                    max: 7_000_000
                )
                return client
            }
            if isLost {
                sample.clients = []
                let pool = sample.database
                sample.database = DatabaseStatus(label: pool.label, kind: pool.kind)
                sample.database.readers = ReaderPoolStatus(inUse: 0, open: 0, maximum: 4)
            }
            return sample
        }
    }

    private func dashboard(until end: Double, allowsControl: Bool = false) throws -> DashboardModel
    {
        var model = DashboardModel(theme: try Theme.named("dark"))
        model.displayCPUShare = 0.008
        for sample in samples(until: end, allowsControl: allowsControl) { model.ingest(sample) }
        return model
    }

    @Test(arguments: [(120, 40), (80, 24), (60, 16)])
    func showsTheOverviewAfterAGap(size: (Int, Int)) throws {
        let extent = Size(width: size.0, height: size.1)
        var model = try dashboard(until: 31)
        _ = model.handle(.resize(extent))
        try Golden.expect(model.render(size: extent), named: "program-\(size.0)x\(size.1)")
    }

    @Test func showsAProgramThatDoesNotRespond() throws {
        let picture = try dashboard(until: 22).render(size: Size(width: 120, height: 40))
        try Golden.expect(picture, named: "program-lost-120x40")
        #expect(picture.plainText.contains("NO RESPONSE"))
        #expect(!picture.plainText.contains("of 4 readers in use"))
    }

    /// Returns the samples of a program that reports only the size of its log, as
    /// `Examples/Publisher` does.
    private func publisherSamples(waiters: [WaiterStatus] = []) -> [Sample] {
        (0..<40).map { index in
            var database = DatabaseStatus(label: "python", kind: .queue, waitingReaders: waiters)
            database.takenAtNanoseconds = UInt64(index) * 250_000_000
            database.wal = WALStatus(bytes: 41_232)
            var sample = Sample(
                sequence: index,
                time: Double(index) / 4,
                scenario: "python",
                arm: "",
                database: database
            )
            sample.program = ProgramStatus(process: 4711)
            return sample
        }
    }

    @Test(arguments: [(120, 40), (80, 24)])
    func unreportedConnectionsAreUnknown(size: (Int, Int)) throws {
        let extent = Size(width: size.0, height: size.1)
        var model = DashboardModel(theme: try Theme.named("dark"))
        _ = model.handle(.resize(extent))
        for sample in publisherSamples() { model.ingest(sample) }
        let picture = model.render(size: extent)
        try Golden.expect(picture, named: "program-publisher-\(size.0)x\(size.1)")
        let text = picture.plainText
        for claim in ["0 %", "0%", "no connection is open yet", "0 accesses/s", "No waiters"] {
            #expect(!text.contains(claim), "\(claim)")
        }
        #expect(text.contains("reports neither its connections nor its waits"))
        #expect(text.contains("does not report its connections"))
        _ = model.handle(.key(.character("2")))
        let connections = model.render(size: extent).plainText
        #expect(connections.contains("unknown: the program does not report its connections"))
        #expect(!connections.contains("0 connections"))
    }

    /// Returns the samples of a program that reports its connections, but neither waits nor
    /// interrupts.
    ///
    /// PoolgaugeGRDB sends such samples if no access uses the watched database.
    private func observedSamples(allowsControl: Bool = false) -> [Sample] {
        (0..<40).map { index in
            var database = DatabaseStatus(
                label: "grdb",
                kind: .pool,
                takenAtNanoseconds: UInt64(index) * 250_000_000,
                connections: [
                    ConnectionStatus(label: "grdb.writer", role: .writer, interruptCount: nil),
                    ConnectionStatus(
                        label: "grdb.reader.1",
                        role: .reader,
                        state: .statement,
                        accessCount: 12,
                        heldNanoseconds: 4_000_000,
                        sql: "SELECT * FROM orders",
                        sqlNanoseconds: 3_000_000,
                        transaction: .read,
                        interruptCount: nil
                    ),
                    ConnectionStatus(
                        label: "grdb.snapshot.1",
                        role: .snapshot,
                        interruptCount: nil
                    ),
                ],
                readers: ReaderPoolStatus(
                    inUse: 1,
                    open: 1,
                    maximum: 4,
                    peak: 1,
                    saturatedNanoseconds: nil
                ),
                snapshots: [
                    SnapshotStatus(
                        label: "grdb.snapshot.1",
                        origin: nil,
                        ageNanoseconds: 2_000_000_000
                    )
                ],
                snapshotsMade: 1,
                interrupts: nil,
                wal: WALStatus(bytes: 41_232)
            )
            database.hold = LatencySummary(count: 12, mean: 2_000_000, max: 4_000_000)
            var sample = Sample(
                sequence: index,
                time: Double(index) / 4,
                scenario: "grdb",
                arm: "",
                database: database
            )
            sample.program = ProgramStatus(process: 4711, allowsControl: allowsControl)
            return sample
        }
    }

    @Test func unreportedWaitsAreUnknown() throws {
        let extent = Size(width: 120, height: 40)
        var model = DashboardModel(theme: try Theme.named("dark"))
        _ = model.handle(.resize(extent))
        for sample in observedSamples() { model.ingest(sample) }
        let picture = model.render(size: extent)
        try Golden.expect(picture, named: "program-observed-120x40")
        let overview = picture.plainText
        #expect(overview.contains("Waits unknown: 1.0 of 4 readers in use on average"))
        #expect(overview.contains("interrupts unknown"))
        #expect(overview.contains("grdb.snapshot.1"))
        for claim in ["No waiters", "no interrupts", "saturated  0 %"] {
            #expect(!overview.contains(claim), "\(claim)")
        }
        for (key, expected) in [("3", "unknown: the program reports no waits"), ("4", "–")] {
            _ = model.handle(.key(.character(Character(key))))
            let text = model.render(size: extent).plainText
            #expect(text.contains(expected), "\(text)")
            #expect(!text.contains("no waiters"), "\(text)")
        }
    }

    @Test func theOutcomeOfAnInterruptIsUnknownWithoutCounts() throws {
        var model = DashboardModel(theme: try Theme.named("dark"))
        let samples = observedSamples(allowsControl: true)
        for sample in samples { model.ingest(sample) }
        #expect(model.handle(.key(.character("I"))) == [.interrupt(connection: nil)])
        for var sample in samples {
            sample.sequence += 40
            sample.time += 10
            model.ingest(sample)
        }
        let text = model.render(size: Size(width: 120, height: 40)).plainText
        #expect(!text.contains("no statement ended"))
    }

    @Test func waitersOfUnreportedConnectionsAreShown() throws {
        var history = History()
        let waiter = WaiterStatus(
            origin: AccessOrigin(name: "ui"),
            waitedNanoseconds: 12_000_000
        )
        for sample in publisherSamples(waiters: [waiter]) { history.append(sample) }
        let verdict = Verdict(history).text(fitting: 200, isASCII: false)
        #expect(verdict.contains("1 read waits, oldest ui"), "\(verdict)")
        #expect(history.inUse(over: 5) == nil)
    }

    @Test func helpOmitsTheKeysOfRuns() throws {
        var model = try dashboard(until: 19, allowsControl: true)
        _ = model.handle(.key(.character("?")))
        let picture = model.render(size: Size(width: 120, height: 40))
        try Golden.expect(picture, named: "program-help-120x40")
        #expect(!picture.plainText.contains("next arm"))
        #expect(!picture.plainText.contains("the run"))
    }

    @Test func keysThatRequireALoadAreRejected() throws {
        for key in "567apnxiIc" {
            var model = try dashboard(until: 19)
            #expect(model.handle(.key(.character(key))) == [], "\(key)")
            let message = model.history.newestEvents(1).first?.message ?? ""
            #expect(
                message.contains("requires a run's load")
                    || message.contains("does not allow control"),
                "\(key): \(message)"
            )
        }
    }

    @Test func controlIsRequestedIfTheProgramAllowsIt() throws {
        var model = try dashboard(until: 19, allowsControl: true)
        #expect(model.handle(.key(.character("I"))) == [.interrupt(connection: nil)])
        #expect(model.handle(.key(.character("c"))) == [.checkpoint(.passive)])
        #expect(model.handle(.key(.character("i"))) == [])
        let message = model.history.newestEvents(1).first?.message
        #expect(message?.contains("I interrupts all") == true)
    }

    /// Charts must not repeat the last value while the current value is unknown.
    @Test func chartsAreEmptyDuringAGap() throws {
        var history = History()
        for sample in samples(until: 31) { history.append(sample) }
        let bins = TimeBins(history, seconds: 30, count: 60)
        let moments = history.moments
        let values = bins.values(.mean) { moments[$0].inUse }
        let starts = (0..<60).map { 1.5 + 0.5 * Double($0) }
        for (start, value) in zip(starts, values) {
            #expect(value.isNaN == (start >= Self.lossTime && start < 24), "\(start)")
        }
        #expect(values.last?.isFinite == true)
    }
}
