import Findings
import Foundation
import Scenarios
import Telemetry
import Text

/// A run of a scenario on one of its arms.
///
/// You can call all methods from any thread at any time. Call ``run()`` only once.
public final class WorkloadRun: Sendable {
    /// The run's samples, ten per second by default.
    ///
    /// A slow consumer receives only the newest sample. The stream ends when the run ends. Only
    /// one loop can iterate over the stream.
    public let samples: AsyncStream<Sample>

    private let scenario: Scenario
    private let arm: Arm
    private let factory: any WorkloadTargetFactory
    private let options: RunOptions
    private let control: RunControl
    private let commands = UserCommands()
    private let events = EventLog()
    private let interrupts: InterruptRequests
    private let target = Lock<(any WorkloadTarget)?>(nil)
    private let steering = Lock(Steering())
    private let continuation: AsyncStream<Sample>.Continuation

    /// Creates a run without starting it.
    public init(
        scenario: Scenario,
        arm: Arm,
        factory: any WorkloadTargetFactory,
        options: RunOptions = RunOptions()
    ) {
        self.scenario = scenario
        self.arm = arm
        self.factory = factory
        self.options = options
        control = RunControl(clock: options.clock)
        interrupts = InterruptRequests(clock: options.clock)
        (samples, continuation) = AsyncStream.makeStream(
            of: Sample.self,
            bufferingPolicy: .bufferingNewest(1)
        )
    }

    /// Builds the data, opens the arm, runs the load, checks the invariants, and closes the
    /// database.
    ///
    /// If the task is canceled, the run stops, and the result is partial.
    ///
    /// - Throws: `RunError`, or `CancellationError` if the run is stopped before the load
    ///   starts.
    public func run() async throws -> ArmResult {
        defer { continuation.finish() }
        return try await withTaskCancellationHandler {
            let result = Promise<Result<ArmResult, any Error>>()
            let thread = Thread {
                TimerSlack.minimize()
                result.fulfill(Result { try self.performRun() })
            }
            thread.name = "poolgauge.run"
            thread.start()
            return try await result.value().get()
        } onCancel: {
            stop()
        }
    }

    /// Ends the run early and marks the result as partial.
    ///
    /// The run waits up to one second for running accesses.
    public func stop() { control.interruptRun() }

    /// Pauses the load and its clock.
    ///
    /// Running accesses continue, but new accesses do not start.
    public func pause() { control.pause() }

    /// Resumes a paused load.
    public func resume() { control.resume() }

    /// Interrupts every running statement.
    public func interrupt() {
        guard let target = target.withLock({ $0 }) else { return }
        interrupts.send { target.interrupt() }
        events.note("you interrupted every statement")
    }

    /// Takes a snapshot as soon as possible and keeps it until you release it or the run ends.
    public func makeSnapshot() { commands.submit(.makeSnapshot) }

    /// Releases a snapshot that ``makeSnapshot()`` took.
    ///
    /// - Parameter label: The snapshot's label in samples, or `nil` to release the oldest
    ///   snapshot.
    public func releaseSnapshot(label: String? = nil) {
        commands.submit(.releaseSnapshot(label: label))
    }

    /// Interrupts a connection's running statement.
    ///
    /// - Parameter label: The connection's label in samples.
    /// - Returns: Whether the connection exists and the library can interrupt it.
    @discardableResult
    public func interrupt(connection label: String) -> Bool {
        guard let target = target.withLock({ $0 }),
            interrupts.send({ target.interrupt(connection: label) })
        else { return false }
        events.note("you interrupted \(label)")
        return true
    }

    /// Checkpoints the write-ahead log as soon as possible and reports the result in an event.
    public func checkpoint(_ mode: CheckpointMode = .passive) { commands.submit(.checkpoint(mode)) }

    /// Changes a setting of the load immediately, or as soon as the load starts.
    ///
    /// Each sample contains the current settings in `Sample.settings`.
    ///
    /// - Throws: ``LoadSettingError`` if the running load has no such setting. Before the load
    ///   starts, an event reports invalid settings instead.
    public func set(_ setting: LoadSetting) throws {
        let load = steering.withLock { steering in
            if steering.load == nil { steering.pendingSettings.append(setting) }
            return steering.load
        }
        try load?.set(setting)
    }

    private struct Steering {
        var load: LoadSteering?
        /// The changes that were requested before the load started.
        var pendingSettings: [LoadSetting] = []
    }

    private func start(_ load: LoadSteering) {
        let pendingSettings = steering.withLock { steering in
            steering.load = load
            defer { steering.pendingSettings = [] }
            return steering.pendingSettings
        }
        for setting in pendingSettings {
            do { try load.set(setting) } catch { events.note("\(error)", severity: .warning) }
        }
    }

    // MARK: The run's thread

    private func performRun() throws -> ArmResult {
        let folder = options.folder.appendingPathComponent("poolgauge-\(UUID().uuidString)")
        let emitter = SampleEmitter(continuation, options.onSample)
        prepare("preparing \(scenario.name)", emitter: emitter)
        do {
            try PrivateFolder.create(at: folder)
        } catch {
            throw RunError(.dataset, "\(error)")
        }
        defer {
            if options.keepsFolder {
                options.onKeptFolder?(folder)
            } else {
                try? FileManager.default.removeItem(at: folder)
            }
        }
        var file = folder.appendingPathComponent("database.sqlite")
        if case .inPlace(let original) = options.database {
            file = original
        } else {
            try copyData(to: file, emitter)
        }
        let opener = TargetOpener(arm: arm, factory: factory, options: options, control: control)
        let opened = try opener.open(at: file.path) { prepare($0, emitter: emitter) }
        let target = opened.target
        self.target.withLock { $0 = target }
        defer { self.target.withLock { $0 = nil } }
        var result: ArmResult
        do {
            result = try load(target, at: file.path, in: folder, emitter: emitter)
        } catch let error as RunError where error.code == .stuck {
            // Threads are still using the target, so keep it open.
            throw error
        } catch {
            try? opened.close()
            throw error
        }
        do {
            try opened.close()
        } catch {
            // The measurements are still valid.
            let failure = RunError(.closing, "arm '\(arm.name)' cannot be closed", cause: error)
            result.failures = [failure.description] + (result.failures ?? [])
        }
        return result
    }

    private func copyData(to file: URL, _ emitter: SampleEmitter) throws {
        let store = options.datasets ?? DatasetStore(in: options.folder)
        defer { if options.datasets == nil { store.remove() } }
        do {
            var shownTenths = -1
            let data = options.datasetSeed.map { scenario.with(seed: $0) } ?? scenario
            func show(_ share: Double, of work: String) throws {
                if control.stage >= .stopped { throw CancellationError() }
                let tenths = Int(share * 10)
                guard tenths > shownTenths else { return }
                shownTenths = tenths
                prepare("\(work): \(tenths * 10)%", emitter: emitter)
            }
            if case .copy(let original) = options.database {
                let work = FreeSpace.copyText(of: original.path)
                try show(0, of: work)
                try factory.copyDatabase(at: original.path, to: file.path) {
                    try show($0, of: work)
                }
                return
            }
            var work = "building the data"
            if case .file(let path) = data.dataset(of: arm) { work = FreeSpace.copyText(of: path) }
            try store.copy(dataOf: data, for: arm, through: factory, to: file) {
                try show($0, of: work)
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            if case .copy(let original) = options.database {
                throw RunError.copying(original.path, cause: error, through: factory)
            }
            throw RunError.building(scenario, for: arm, cause: error, through: factory)
        }
    }

    /// Whether the arm starts with the rows of the scenario's data.
    private var keepsRows: Bool {
        guard arm.file == nil, options.database == nil else { return false }
        return arm.setup.allSatisfy { sql in
            let words = sql.uppercased().split(whereSeparator: \.isWhitespace)
            let first = words.first ?? ""
            let second = words.dropFirst().first ?? ""
            let isIndex = first == "CREATE" && ["INDEX", "UNIQUE"].contains(second)
            return !sql.contains(";") && (isIndex || ["ANALYZE", "PRAGMA"].contains(first))
        }
    }

    private func load(
        _ target: any WorkloadTarget,
        at file: String,
        in folder: URL,
        emitter: SampleEmitter
    ) throws -> ArmResult {
        let plan = try RunPlan(
            scenario,
            on: target,
            startsProcesses: options.processCommand != nil,
            datasets: keepsRows ? options.datasets : nil
        )
        try plan.checkStatements(of: scenario, on: target)
        let processes = try ClientProcesses.start(
            for: plan.clients,
            on: arm,
            at: file,
            command: options.processCommand
        )
        defer { processes?.close() }
        let driver = target as? DriverTarget
        try driver?.start(plan.clients.map(\.driverClient)) { control.stage >= .stopped }
        let steering = LoadSteering(
            clients: plan.clients,
            control: control,
            phases: plan.phases
        )
        var context = RunContext(
            phases: plan.phases,
            control: control,
            clock: options.clock,
            target: target,
            events: events,
            busy: BusyRecord(arm, on: target),
            stability: StabilityLog(),
            interrupts: interrupts,
            alarm: plan.needsAlarm
                ? AlarmClock(clock: options.clock, sleeper: options.clock.makeSleeper()) : nil,
            processes: processes,
            driver: driver,
            holders: target.has(.sharedFile)
                ? LockHolders(path: file, processes: processes) : nil,
            folder: folder,
            steering: steering
        )
        if control.stage >= .stopped { throw CancellationError() }
        for (client, reason) in plan.unsupported.sorted(by: { $0.key < $1.key }) {
            events.note("\(client) does not run: \(reason)", severity: .warning)
        }
        let watch = GeneratorWatch(noop: try GeneratorCost.measure(), clock: options.clock)
        context.periods = options.periods
        if options.endsAtMissedThresholds { context.abort = AbortWatch(scenario.thresholds) }
        let session = LoadSession(
            plan: plan,
            context: context,
            commands: commands,
            title: .init(scenario: scenario.name, arm: arm, arms: scenario.arms.map(\.name)),
            sampleInterval: options.sampleInterval,
            recordInterval: options.recordInterval
        ) { emitter.emit($0) }
        defer { self.steering.withLock { $0.load = nil } }
        var outcome = try session.run { start(steering) }
        if control.failure == nil { driver?.measureAgain() }
        let verdict = watch.verdict(
            accesses: outcome.sampler.begun,
            freeLag: outcome.sampler.freeLag,
            loads: outcome.sampler.generatorLoads(noop: watch.noop, seconds: outcome.seconds),
            isSeparate: driver != nil
        )
        options.onProgress?("checking \(arm.name)")
        let invariants = InvariantCheck(target: target, stability: context.stability)
        var clients = outcome.sampler.clientResults(seconds: outcome.phaseSeconds)
        let database = outcome.sampler.database
        options.onResponses?(outcome.sampler.responses)
        // Profile after all counts are final and while the database is open.
        OperationProfiler(
            plan,
            on: target,
            runsStatements: !outcome.isPartial || control.abortResult != nil
        )
        .add(to: &clients)
        context.errorMessages.add(to: &clients)
        var result = ArmResult(
            arm: arm.name,
            valid: verdict.reason == nil,
            invalidReason: verdict.reason,
            partial: outcome.isPartial,
            duration: outcome.seconds.rounded(toDigits: 6),
            environment: (try? target.environment()) ?? [:],
            clients: clients,
            unsupported: plan.unsupported.isEmpty ? nil : plan.unsupported,
            pool: database.poolResult(),
            wal: database.walResult(),
            snapshots: database.snapshotResult(),
            interrupts: database.interruptResult(),
            blame: outcome.sampler.blame(),
            generator: verdict.result,
            thresholds: [],
            invariants: scenario.invariants.map { invariants.check($0) }
                + scenario.dataInvariants.map { invariants.check($0) },
            intervals: outcome.sampler.intervals
        )
        if let counts = context.holders?.counts, !counts.isEmpty { result.busyHolders = counts }
        result.busy = context.busy.ledger.result
        let findings = LoadRules.findings(
            in: result.loadFacts(of: scenario.clients, on: arm)
        )
        if !findings.isEmpty { result.findings = findings }
        result.add(driver, closed: plan.clients.filter(\.keepsWorkersBusy).map(\.name.name))
        if let settings = arm.busySettings { result.environment["busy"] = settings }
        let refusals = target.refusals()
        if !refusals.isEmpty { result.refusals = refusals }
        result.aborted = control.abortResult
        result.thresholds = scenario.thresholds.map { result.check($0) }
        if let abortResult = control.abortResult { result.markMissed(by: abortResult) }
        if let failure = control.failure {
            result.failures = [failure + freeSpaceNote(in: folder, result)]
        } else if !result.partial {
            let failures = result.clientFailures(
                for: scenario.thresholds,
                judgesUnfinished: options.judgesUnfinished
            )
            let absent =
                options.judgesUnfinished
                ? result.clients.filter { $0.value.offered == 0 }.keys.sorted().compactMap {
                    scenario.absence(of: $0, after: result.duration)
                        ?? scenario.stall(of: $0, after: result.duration)
                } : []
            if !(absent + failures).isEmpty { result.failures = absent + failures }
        }
        outcome.sampler.sample(.finished)
        return result
    }

    /// Returns a description of the folder and its free space if the disk is full, or an empty
    /// string.
    private func freeSpaceNote(in folder: URL, _ result: ArmResult) -> String {
        guard result.clients.values.contains(where: { $0.errors["SQLITE_FULL"] != nil }) else {
            return ""
        }
        var path = folder.path
        if case .inPlace(let database) = options.database {
            path = database.deletingLastPathComponent().path
        }
        let free = FreeSpace.bytes(in: path).map { ", with \(ReportUnits.bytes($0)) free" } ?? ""
        return " (in the folder '\(path)'\(free))"
    }

    private func prepare(_ message: String, emitter: SampleEmitter) {
        options.onProgress?(message)
        emitter.emit(
            Sample(
                sequence: 0,
                time: 0,
                scenario: scenario.name,
                arm: arm.name,
                arms: scenario.arms.map(\.name),
                phase: message,
                state: .preparing,
                plannedDuration: PhasePlan(scenario).end.secondsFromNanoseconds,
                database: arm.unwatchedStatus
            )
        )
    }
}

extension UInt64 {
    var secondsFromNanoseconds: Double { Double(self) / 1e9 }
}

/// An emitter that delivers samples to a callback and to a stream that keeps only the newest
/// sample.
final class SampleEmitter {
    private let continuation: AsyncStream<Sample>.Continuation
    private let callback: (@Sendable (Sample) -> Void)?
    /// The events from samples that the stream dropped.
    private var droppedEvents: [TelemetryEvent] = []

    /// The maximum number of events to keep for a slow consumer.
    private static let maximumDroppedEventCount = 200

    init(
        _ continuation: AsyncStream<Sample>.Continuation,
        _ callback: (@Sendable (Sample) -> Void)?
    ) {
        self.continuation = continuation
        self.callback = callback
    }

    /// Delivers a sample, adding the events from dropped samples to the stream's copy.
    func emit(_ sample: Sample) {
        callback?(sample)
        var streamed = sample
        streamed.events = droppedEvents + sample.events
        droppedEvents = []
        if case .dropped(let dropped) = continuation.yield(streamed) {
            droppedEvents = dropped.events.suffix(Self.maximumDroppedEventCount)
        }
    }
}
