import Telemetry
import TestSupport

/// A fictional run that fills every panel and always produces the same samples.
///
/// A report holds a reader from 12 s to 21 s. A burst of reads starts at 20 s. An import acquires
/// the writer at 23 s. A snapshot is open from 9 s. An interrupt occurs every seven seconds.
struct Story {
    /// The kind of database in the arm.
    var kind: DatabaseKind = .pool
    /// The value of `maximumReaderCount`.
    var readers = 4
    /// The time between two samples, in seconds.
    var interval = 0.1

    private var random = SeededRandom(seed: 7)
    private var snapshots = 0

    init(kind: DatabaseKind = .pool, readers: Int = 4) {
        self.kind = kind
        self.readers = readers
    }

    /// Returns the samples up to a moment of the run.
    func samples(until end: Double = 31) -> [Sample] {
        var story = self
        return (0...Int((end / interval).rounded())).map { story.sample(sequence: $0) }
    }

    /// Returns the samples up to a moment, followed by the last two samples of a run, which contain
    /// no holders, waiters, or target rates.
    func finished(at end: Double = 31) -> [Sample] {
        var samples = samples(until: end)
        guard var last = samples.last else { return [] }
        for state in [RunState.draining, .finished] {
            last.sequence += 1
            last.time += interval
            last.state = state
            last.events = []
            last.utilization = last.utilization.map { _ in 0 }
            last.saturation = last.saturation.map { _ in 0 }
            last.isMeasured = false
            for index in last.clients.indices {
                last.clients[index].throughput = 0
                last.clients[index].targetRate = last.clients[index].targetRate.map { _ in 0 }
                last.clients[index].operations = nil
            }
            last.settings?.clients[0].rate = 0
            last.database.waitingReaders = []
            last.database.waitingWriters = []
            last.database.connections.removeAll { $0.role == .snapshot }
            for index in last.database.connections.indices {
                let old = last.database.connections[index]
                last.database.connections[index] = ConnectionStatus(
                    label: old.label,
                    role: old.role,
                    accessCount: old.accessCount
                )
            }
            last.database.readers?.inUse = 0
            last.database.snapshots = []
            last.database.wal?.pin = nil
            last.database.wal?.frames = 120
            last.database.wal?.checkpointedFrames = 100
            samples.append(last)
        }
        return samples
    }

    private mutating func sample(sequence: Int) -> Sample {
        let time = Double(sequence) * interval
        var database =
            kind == .pool ? pool(at: time) : queue(at: time)
        database.waitingReadersPeak = database.waitingReaders.count
        database.waitingWritersPeak = database.waitingWriters.count
        database.interrupts = InterruptStatus(
            requested: UInt64(time / 7),
            delivered: UInt64(time / 14),
            withoutEffect: UInt64(time / 7) - UInt64(time / 14)
        )
        let waits = !database.waitingReaders.isEmpty
        let inUse = database.readers.map(\.inUse) ?? 0
        var sample = Sample(
            sequence: sequence,
            time: time,
            scenario: "reads-during-import",
            arm: kind == .pool ? "pool" : "queue",
            arms: ["queue", "queue-wal", "pool"],
            phase: time < 5 ? "warm-up" : "steady",
            plannedDuration: 35,
            database: database,
            clients: clients(at: time, isStorm: isStorm(time)),
            utilization: kind == .pool ? Double(inUse) / Double(readers) : nil,
            saturation: kind == .pool ? (waits && inUse == readers ? 0.9 : 0) : nil,
            events: events(between: time - interval, and: time)
        )
        sample.isMeasured = time >= 5
        sample.settings = settings
        if sequence > 0, sequence.isMultiple(of: 10) {
            for index in [0, 1] {
                sample.clients[index].operations = latencies(
                    of: sample.clients[index].name,
                    sequence: sequence,
                    isStorm: isStorm(time)
                )
            }
        }
        return sample
    }

    private var settings: LoadSettings {
        LoadSettings(
            writeShare: 0.35,
            clients: [
                LoadSettings.Client(name: "ui", workers: 4, rate: 200, writeShare: 0),
                LoadSettings.Client(name: "pay", workers: 2, writeShare: 1),
                LoadSettings.Client(name: "report", workers: 1, holdSeconds: 9),
                LoadSettings.Client(name: "snapshot", workers: 1, holdSeconds: 30),
            ]
        )
    }

    /// Returns the distributions of one second: two operations of `ui` and one of `pay`.
    private func latencies(
        of client: String,
        sequence: Int,
        isStorm: Bool
    ) -> [OperationLatencies] {
        // A separate random stream keeps the latencies from changing the connections.
        var random = SeededRandom(seed: UInt64(sequence))
        let names = client == "ui" ? ["find", "list"] : ["pay"]
        return names.enumerated().map { index, name in
            var latencies = OperationLatencies(name: name)
            for _ in 0..<120 {
                let service = UInt64(90_000 << index) + UInt64(random.next(240_000 << index))
                let queued =
                    isStorm || client == "pay" ? random.next(8_000_000) : random.next(9_000)
                let wait = UInt64(queued)
                let late = isStorm ? UInt64(random.next(20_000_000)) : 0
                latencies.service.add(service)
                latencies.wait.add(wait)
                latencies.response.add(service + wait + late)
            }
            return latencies
        }
    }

    private func isStorm(_ time: Double) -> Bool { time > 20 && time < 27 || time > 29 }

    private mutating func pool(at time: Double) -> DatabaseStatus {
        var connections = [writer(at: time, label: "demo.writer", role: .writer)]
        let isStorm = isStorm(time)
        for number in 1...readers {
            var reader = ConnectionStatus(label: "demo.reader.\(number)", role: .reader)
            if number == 1, time > 12, time < 21 || time > 28 {
                let start = time > 28 ? 28.0 : 12.0
                hold(&reader, by: "report", since: start, at: time, state: .closure)
            } else if random.next(100) < (isStorm ? 96 : 35) {
                let state: ConnectionState = random.next(5) == 0 ? .closure : .statement
                let nanoseconds = UInt64(random.next(3_000_000)) + 40_000
                hold(&reader, by: "ui", nanoseconds: nanoseconds, state: state)
            }
            reader.accessCount = UInt64(time * 120)
            connections.append(reader)
        }
        let inUse = connections.dropFirst().count { $0.state != .idle }
        let waiting = isStorm && inUse == readers ? 2 + random.next(8) : 0
        var database = DatabaseStatus(label: "demo", kind: .pool, journalMode: "wal")
        database.readers = ReaderPoolStatus(
            inUse: inUse,
            open: readers,
            maximum: readers,
            peak: inUse
        )
        database.waitingReaders = waiters(waiting, name: "ui", step: 1_370_000)
        database.waitingWriters = waiters(
            time > 23 && time < 26 ? 2 : 0,
            name: "pay",
            step: 9_100_000
        )
        database.acquire = LatencySummary(
            count: 9_000,
            mean: 90_000,
            p50: 1_400,
            p95: 3_210_000,
            p99: 12_300_000,
            max: 20_000_000
        )
        database.hold = LatencySummary(
            count: 9_000,
            mean: 90_000,
            p50: 211_000,
            p95: 1_270_000,
            p99: 3_420_000,
            max: 9_000_000_000
        )
        database.writerAcquire = database.acquire
        database.writerHold = database.hold
        if time > 9 {
            let age = UInt64((time - 9) * 1e9)
            connections.append(
                ConnectionStatus(label: "demo.snapshot.1", role: .snapshot)
            )
            database.snapshots = [
                SnapshotStatus(
                    label: "demo.snapshot.1",
                    origin: AccessOrigin(name: "snapshot"),
                    ageNanoseconds: age
                )
            ]
            database.snapshots[0].frame = 1_204
            database.snapshots[0].pinnedFrames = UInt64((time - 9) * 460)
            database.snapshotsMade = 1
        }
        database.connections = connections
        let frames = UInt64(900 + max(0, time - 9) * 460)
        database.wal = WALStatus(
            bytes: 32 + frames * 4_120,
            frames: frames,
            checkpointedFrames: time > 9 ? 1_204 : frames,
            pin: time > 10
                ? WALPin(
                    by: AccessOrigin(name: "snapshot"),
                    cause: .oldReader,
                    ageNanoseconds: UInt64((time - 9) * 1e9)
                ) : nil
        )
        database.wal?.pageSize = 4_096
        return database
    }

    private mutating func queue(at time: Double) -> DatabaseStatus {
        var connection = writer(at: time, label: "demo.queue", role: .queue)
        if connection.state == .idle, random.next(3) > 0 {
            hold(&connection, by: "ui", nanoseconds: 120_000, state: .statement)
        }
        var database = DatabaseStatus(label: "demo", kind: .queue, journalMode: "delete")
        let isHeld = connection.state != .idle
        database.connections = [connection]
        database.waitingReaders = waiters(
            isHeld && isStorm(time) ? 3 + random.next(5) : 0,
            name: "ui",
            step: 4_100_000
        )
        database.waitingWriters = waiters(
            isHeld ? random.next(3) : 0,
            name: "pay",
            step: 2_900_000
        )
        database.acquire = LatencySummary(
            count: 4_000,
            mean: 900_000,
            p50: 810_000,
            p99: 48_300_000,
            max: 90_000_000
        )
        database.hold = LatencySummary(
            count: 4_000,
            mean: 400_000,
            p50: 390_000,
            p99: 6_120_000,
            max: 9_000_000_000
        )
        return database
    }

    private mutating func writer(
        at time: Double,
        label: String,
        role: ConnectionRole
    ) -> ConnectionStatus {
        var writer = ConnectionStatus(label: label, role: role)
        if time > 23, time < 26 {
            hold(&writer, by: "import", since: 23, at: time, state: .statement)
        } else if time > 7, time < 7.6 {
            hold(&writer, by: "pay", since: 7, at: time, state: .waitingForLock)
        } else {
            switch random.next(10) {
            case 0...3: hold(&writer, by: "pay", nanoseconds: 410_000, state: .statement)
            case 4...5: hold(&writer, by: "pay", nanoseconds: 1_230_000, state: .committing)
            default: break
            }
        }
        return writer
    }

    private func hold(
        _ connection: inout ConnectionStatus,
        by name: String,
        since start: Double,
        at time: Double,
        state: ConnectionState
    ) {
        let nanoseconds = UInt64((time - start) * 1e9)
        hold(&connection, by: name, nanoseconds: nanoseconds, state: state)
    }

    private func hold(
        _ connection: inout ConnectionStatus,
        by name: String,
        nanoseconds: UInt64,
        state: ConnectionState
    ) {
        connection.state = state
        connection.holder = AccessOrigin(name: name)
        connection.heldNanoseconds = nanoseconds
        connection.sql = Self.statements[name]
    }

    private static let statements = [
        "ui":
            "SELECT id, title, body FROM article WHERE author = ?1 ORDER BY created DESC LIMIT 20",
        "report": "SELECT day, count(*), sum(amount) FROM payment GROUP BY day",
        "import": "INSERT INTO article (id, author, title, body) VALUES (?1, ?2, ?3, ?4)",
        "pay": "UPDATE account SET balance = balance + ?2 WHERE id = ?1",
    ]

    private func waiters(_ count: Int, name: String, step: UInt64) -> [WaiterStatus] {
        (0..<max(0, count)).map { index in
            WaiterStatus(
                origin: AccessOrigin(name: name),
                waitedNanoseconds: UInt64(count - index) * step
            )
        }
    }

    private mutating func clients(at time: Double, isStorm: Bool) -> [ClientStatus] {
        func summary(_ p50: UInt64, p99: UInt64?) -> LatencySummary {
            LatencySummary(count: 200, mean: p50, p50: p50, p99: p99, max: p99 ?? p50)
        }
        var ui = ClientStatus(name: "ui", activity: "read", workers: 4, targetRate: 200)
        ui.throughput = isStorm ? 131 + Double(random.next(20)) : 198 + Double(random.next(5))
        ui.wait = summary(isStorm ? 3_120_000 : 1_900, p99: isStorm ? 12_300_000 : 8_700)
        ui.service = summary(210_000, p99: 1_420_000)
        ui.response = summary(isStorm ? 3_400_000 : 230_000, p99: isStorm ? 19_800_000 : 1_600_000)
        ui.counts.skipped = UInt64(max(0, time - 20) * 11)
        ui.slow = SlowSplit(
            beyond: "p99",
            accesses: 20,
            queued: isStorm ? 7_600_000 : 0,
            waited: isStorm ? 11_400_000 : 9_000,
            service: 1_380_000,
            resource: "reader",
            capacity: readers,
            holders: [.init(client: "ui", held: 2.6), .init(client: "report", held: 1)]
        )
        var pay = ClientStatus(name: "pay", activity: "write", workers: 2)
        pay.throughput = time > 23 && time < 26 ? 41 : 1_380 + Double(random.next(90))
        pay.wait = summary(2_400, p99: 9_120_000)
        pay.service = summary(640_000, p99: 2_310_000)
        pay.response = summary(690_000, p99: 11_400_000)
        pay.counts.errors = time > 7 ? ["SQLITE_BUSY": 3] : [:]
        var report = ClientStatus(name: "report", activity: "read")
        report.throughput = 0
        var importer = ClientStatus(name: "import", activity: "write")
        importer.throughput = time > 23 && time < 26 ? 16 : 0
        if importer.throughput > 0 { importer.service = summary(61_000_000, p99: nil) }
        return [
            ui, pay, report, ClientStatus(name: "snapshot", activity: "snapshot"), importer,
            ClientStatus(name: "cancel", activity: "interrupt"),
        ]
    }

    private func events(between start: Double, and end: Double) -> [TelemetryEvent] {
        let all: [TelemetryEvent] = [
            TelemetryEvent(time: 0, message: "phase warm-up starts"),
            TelemetryEvent(time: 5, message: "phase steady starts"),
            TelemetryEvent(time: 7.1, severity: .error, message: "pay: first SQLITE_BUSY"),
            TelemetryEvent(time: 9, message: "snapshot took a snapshot"),
            TelemetryEvent(time: 14, message: "cancel interrupted 1 statement"),
            TelemetryEvent(
                time: 20.3,
                severity: .warning,
                message: "all readers in use, reads wait"
            ),
            TelemetryEvent(time: 21, message: "cancel: no statement was running"),
            TelemetryEvent(time: 23, message: "import began: 50,000 rows"),
            TelemetryEvent(time: 28, message: "cancel interrupted 2 statements"),
        ]
        return all.filter { $0.time > start && $0.time <= end }
    }
}

extension SeededRandom {
    /// Returns a number in 0..<bound.
    mutating func next(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
