import Foundation
import Scenarios
import Telemetry
import Text

/// A database that a program in any language accesses through its own driver of SQLite.
///
/// The run opens the database with libsqlite3 as well: for what it does itself, such as invariants,
/// and for clients that drivers do not support.
package final class DriverTarget: WorkloadTarget {
    private struct State: Sendable {
        var process: DriverProcess?
        var lanes: [DriverLane] = []
        /// The first access of each client, keyed by client name.
        var firstAccesses: [String: Int] = [:]
        var unusedLanes: [String: [DriverLane]] = [:]
        var greeting = DriverGreeting()
        var cost = DriverCost(roundTrip: 0...0, perAccess: 0...0)
        var echoValues: [WorkloadValue] = []
        var elsewhere: [String: String] = [:]
        var isEnding = false
    }

    private let arm: Arm
    private let path: String
    private let control: any WorkloadTarget
    private let state = Lock(State())
    private let clock = MonotonicClock()

    /// The time that a driver has to start, which may include compiling it, in nanoseconds.
    private static let startTime: UInt64 = 120_000_000_000
    /// The time that a driver has to connect its lanes, in nanoseconds.
    private static let laneTime: UInt64 = 10_000_000_000

    /// Creates a target whose driver starts when a load begins.
    ///
    /// - Parameters:
    ///   - arm: The arm, which must have a driver.
    ///   - path: The path of the database.
    ///   - control: The database as libsqlite3 opens it.
    package init(_ arm: Arm, at path: String, control: any WorkloadTarget) {
        self.arm = arm
        self.path = path
        self.control = control
    }

    /// A client of the load.
    struct Client {
        let name: String
        let workers: Int
        /// The reason that the driver cannot perform the client's accesses, or `nil` if it can.
        let obstacle: String?
        /// The accesses of the client's operations.
        let accesses: [DriverSetup.Access]
    }

    /// Starts the driver, connects a lane for each worker, and measures the cost of the protocol.
    ///
    /// - Throws: `RunError`, or `CancellationError` if the run stops.
    func start(_ clients: [Client], unless isStopped: () -> Bool) throws {
        guard let driver = arm.driver else { return }
        var accesses: [DriverSetup.Access] = []
        var echoValues: [WorkloadValue] = []
        for client in clients {
            if let obstacle = client.obstacle {
                state.withLock { $0.elsewhere[client.name] = obstacle }
                continue
            }
            state.withLock { $0.firstAccesses[client.name] = accesses.count }
            accesses += client.accesses
            let parameters = client.accesses.map {
                $0.statements.reduce(0) { $0 + $1.parameters }
            }
            let count = parameters.max() ?? 0
            if count > echoValues.count {
                echoValues = Array(repeating: .integer(12_345), count: count)
            }
        }
        guard !accesses.isEmpty else {
            let obstacles = state.withLock { $0.elsewhere }.sorted { $0.key < $1.key }
            guard let first = obstacles.first else { return }
            throw RunError(
                .opening,
                "arm '\(arm.name)': no client can use the driver; \(first.key): \(first.value)"
            )
        }
        do {
            let program = try driver.launch()
            let process = try DriverProcess(program)
            state.withLock { $0.process = process }
            do {
                try greet(process, setup: DriverSetup(arm, at: path, accesses: accesses), isStopped)
                let clients = clients.filter { $0.obstacle == nil }
                var lanes = try connect(clients.reduce(0) { $0 + $1.workers })
                let cost = try DriverCost.measure(on: lanes, values: echoValues, clock: clock)
                state.withLock { state in
                    state.cost = cost
                    state.echoValues = echoValues
                    for client in clients {
                        state.unusedLanes[client.name] = Array(lanes.prefix(client.workers))
                        lanes.removeFirst(client.workers)
                    }
                }
            } catch  where "\(error)" == "\(DriverFailure.ended)" {
                throw DriverFailure(process.ending)
            }
        } catch {
            state.withLock { $0.process }?.terminate()
            if error is CancellationError { throw error }
            throw RunError(
                .opening,
                "arm '\(arm.name)': \(driver.name) cannot be used",
                cause: error
            )
        }
    }

    private func greet(
        _ process: DriverProcess,
        setup: DriverSetup,
        _ isStopped: () -> Bool
    ) throws {
        try process.send(setup)
        let line = try process.receiveLine(
            until: clock.now() &+ Self.startTime,
            unless: isStopped
        )
        guard let greeting = try? JSONDecoder().decode(DriverGreeting.self, from: Data(line)) else {
            let text = Escaping.terminal(String(decoding: line.prefix(200), as: UTF8.self))
            throw DriverFailure(
                "its first line is not an answer of \(DriverSetup.format): '\(text)'; a driver "
                    + "writes messages to standard error"
            )
        }
        if let error = greeting.error {
            throw DriverFailure(Escaping.terminal(String(error.prefix(1000))))
        }
        guard greeting.ready == true else {
            throw DriverFailure("its first line contains neither \"ready\": true nor an error")
        }
        state.withLock { state in
            state.greeting = greeting
            state.greeting.runtime = greeting.runtime.map {
                Escaping.terminal(String($0.prefix(100)))
            }
            state.greeting.sqlite = greeting.sqlite.map {
                Escaping.terminal(String($0.prefix(100)))
            }
        }
    }

    /// Requests connections from the driver, and accepts them.
    ///
    /// The socket exists only during this call, so that no file remains if the process is killed.
    private func connect(_ count: Int) throws -> [DriverLane] {
        guard count > 0, let process = state.withLock({ $0.process }) else { return [] }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-\(UUID().uuidString.prefix(8))")
        try PrivateFolder.create(at: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        let socket = folder.appendingPathComponent("lanes").path
        let listener = try DriverSocket.listen(at: socket)
        defer { Foundation.close(listener) }
        try process.send(DriverLaneRequest(lanes: count, socket: socket))
        var lanes: [DriverLane] = []
        let deadline = clock.now() &+ Self.laneTime
        while lanes.count < count {
            if let connection = DriverSocket.accept(from: listener) {
                let lane = DriverLane(connection, clock: clock)
                state.withLock { $0.lanes.append(lane) }
                lanes.append(lane)
                continue
            }
            if process.isOver { throw DriverFailure.ended }
            guard clock.now() < deadline else {
                throw DriverFailure(
                    "it connected only \(lanes.count) of \(count) lanes within 10 s"
                )
            }
        }
        return lanes
    }

    /// Measures the cost of the protocol in batches again, after the load has ended.
    ///
    /// If a lane has not answered, the cost remains that before the load.
    func measureAgain() {
        let (lanes, values) = state.withLock { ($0.lanes, $0.echoValues) }
        guard !lanes.isEmpty, lanes.allSatisfy(\.isIdle),
            let cost = try? DriverCost.perAccess(on: lanes, DriverCost.line(values), clock: clock)
        else { return }
        state.withLock { $0.cost.perAccess = cost }
    }

    /// The lane of a worker, and the index of its client's first access.
    struct Assignment {
        var lane: DriverLane
        var firstAccess: Int
        var cost: DriverCost
    }

    /// Returns a lane for another worker of a client, or `nil` if the client does not use the
    /// driver.
    func assign(to client: String) throws -> Assignment? {
        guard let first = state.withLock({ $0.firstAccesses[client] }) else { return nil }
        let unused = state.withLock { $0.unusedLanes[client]?.popLast() }
        guard let lane = try unused ?? connect(1).first else { return nil }
        return Assignment(lane: lane, firstAccess: first, cost: state.withLock { $0.cost })
    }

    /// Describes why a lane broke.
    func explain(_ error: DriverLane.Broken) -> String {
        var reason = error.description
        if reason == DriverFailure.ended.description, let process = state.withLock({ $0.process }) {
            reason = process.ending
        }
        return "the driver of arm '\(arm.name)' cannot continue: \(reason); to see all of its "
            + "messages, run it with the set-up in docs/Drivers.md"
    }

    /// Returns what is known about the driver after a load.
    ///
    /// - Parameters:
    ///   - throughputs: The throughput of each client without think time, keyed by name.
    ///   - total: The throughput of all clients of the driver.
    /// - Returns: The result, or `nil` if the driver has not started.
    func result(
        throughputs: [String: Double],
        total: Double
    ) -> DriverResult? {
        let state = state.withLock { $0 }
        guard state.process != nil, let driver = arm.driver else { return nil }
        func share(_ cost: Double) -> Double { min(0.99, total * cost / 1e9) }
        let low = share(state.cost.perAccess.lowerBound)
        let high = share(state.cost.perAccess.upperBound)
        var result = DriverResult(
            name: driver.name,
            runtime: state.greeting.runtime,
            sqlite: state.greeting.sqlite,
            roundTrip: .init(
                low: Double(state.cost.roundTrip.lowerBound),
                high: Double(state.cost.roundTrip.upperBound)
            ),
            perAccess: .init(
                low: state.cost.perAccess.lowerBound.rounded(),
                high: state.cost.perAccess.upperBound.rounded()
            ),
            share: .init(low: low.rounded(toDigits: 4), high: high.rounded(toDigits: 4))
        )
        if !throughputs.isEmpty {
            result.throughput = throughputs.mapValues { value in
                DriverResult.Interval(
                    low: (value / (1 - low)).rounded(toDigits: 2),
                    high: (value / (1 - high)).rounded(toDigits: 2)
                )
            }
        }
        if !state.elsewhere.isEmpty { result.elsewhere = state.elsewhere }
        return result
    }

    func uses(_ client: String) -> Bool { state.withLock { $0.firstAccesses[client] != nil } }

    /// Ends the driver, so that its running accesses fail.
    func terminate() { state.withLock { $0.process }?.terminate() }

    // MARK: Target

    package func supports(_ access: WorkloadAccess) -> Bool { control.supports(access) }

    package func has(_ capability: WorkloadAbility) -> Bool { control.has(capability) }

    package func backup(
        to path: String,
        pagesPerStep: Int,
        as client: WorkloadClientName,
        progress: @escaping (Double) throws -> Void
    ) throws {
        try control.backup(to: path, pagesPerStep: pagesPerStep, as: client, progress: progress)
    }

    package func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws { try control.perform(access, as: client, body) }

    package func check(_ sql: String) throws { try control.check(sql) }

    package func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot {
        try control.makeSnapshot(as: client)
    }

    /// Interrupts the statements of clients that do not use the driver.
    package func interrupt() { control.interrupt() }

    package func failure(of error: any Error) -> WorkloadFailure {
        switch error {
        case let error as DriverLane.AccessFailure:
            let isBusy =
                error.code.hasPrefix("SQLITE_BUSY") || error.code.hasPrefix("SQLITE_LOCKED")
            return isBusy ? .busy(error.code) : .error(error.code)
        case is DriverLane.Broken: return .error("DRIVER_ENDED")
        default: return control.failure(of: error)
        }
    }

    package func busyFailure(of error: any Error) -> BusyFailure? {
        error is DriverLane.AccessFailure ? nil : control.busyFailure(of: error)
    }

    package var writingClient: String? { control.writingClient }

    package func status() -> DatabaseStatus? { nil }

    package func profile(
        _ statements: [BoundStatement],
        in access: WorkloadAccess,
        running: Bool
    ) throws -> OperationProfile? {
        try control.profile(statements, in: access, running: running)
    }

    package func refusals() -> [String: UInt64] { control.refusals() }

    /// Returns the properties of the file.
    ///
    /// Those of the driver's connections are unknown.
    package func environment() throws -> [String: String] {
        let facts = try control.environment()
        var known = facts.filter { ["journal_mode", "page_size"].contains($0.key) }
        known["library"] = arm.driver?.name
        known["sqlite_version"] = state.withLock { $0.greeting.sqlite }
        known["synchronous"] = arm.synchronous
        return known
    }

    package func close() throws {
        let (process, lanes) = state.withLock { state in
            defer {
                state.lanes = []
                state.unusedLanes = [:]
            }
            return (state.process, state.lanes)
        }
        for lane in lanes { lane.close() }
        process?.end()
        try control.close()
    }
}

/// A connection to a driver, with which one worker performs its accesses.
///
/// Unchecked: only the worker's thread uses a lane, and the target closes it after that thread has
/// ended.
final class DriverLane: @unchecked Sendable {
    /// The failure of an access, which the driver reports.
    struct AccessFailure: Error, CustomStringConvertible {
        let code: String
        let message: String
        var description: String { message.isEmpty ? code : message }
    }

    /// The end of the connection, after which no access is possible.
    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    private let socket: Int32
    private let clock: any RunClock
    private var reader: LineReader
    private var line = DriverLine()
    private var sent: [(time: UInt64, count: Int)] = []
    /// The number of accesses in the next batch.
    private(set) var batch = 1

    /// The time that the accesses of a batch should take, in nanoseconds.
    ///
    /// In this time, the cost of sending a batch is small, and the load still ends on time.
    private static let batchTime: UInt64 = 2_000_000
    private static let maximumBatch = 256
    /// The maximum length of a batch, in bytes.
    ///
    /// The system buffers it, so that neither the run nor the driver waits while it writes.
    private static let maximumLength = 1 << 16
    /// By how much the times of a driver may exceed those of the run, because of the resolution of
    /// its clock, in nanoseconds.
    private static let tolerance: UInt64 = 1_000_000

    init(_ socket: Int32, clock: any RunClock) {
        self.socket = socket
        self.clock = clock
        reader = LineReader(socket)
    }

    /// Adds an access to the line that the next call of ``send()`` sends.
    func begin(_ access: Int) { line.begin(access) }

    func add(_ values: [WorkloadValue], in order: [Int]) { line.add(values, in: order) }

    func end() { line.end() }

    /// Whether all lines have been answered.
    var isIdle: Bool { sent.isEmpty }

    /// Whether the line has room for another access of the batch.
    var hasRoom: Bool { line.count < batch && line.bytes.count < Self.maximumLength }

    /// Sends the accesses.
    ///
    /// - Throws: ``Broken``.
    func send() throws {
        let count = line.count
        let bytes = line.take()
        sent.append((clock.now(), count))
        do { try DriverSocket.send(bytes, to: socket) } catch {
            throw Broken(description: "\(error)")
        }
    }

    /// Receives the answers to the oldest line.
    ///
    /// - Returns: The answers, and the times at which the line was sent and its answers arrived.
    /// - Throws: ``Broken``.
    func receive() throws -> (answers: [DriverAnswer], sent: UInt64, received: UInt64) {
        let (time, count) = sent.removeFirst()
        do {
            guard let bytes = try reader.next() else { throw DriverFailure.ended }
            let received = clock.now()
            let answers: [DriverAnswer]
            do { answers = try DriverAnswer.parse(bytes, count: count) } catch {
                let problem = (error as? DriverAnswer.Malformed)?.problem ?? "\(error)"
                throw DriverFailure("it sent an invalid answer: \(problem)")
            }
            // Each time is less than 2^60, and a line contains at most 2^8 accesses.
            var sum: UInt64 = 0
            for answer in answers { sum = sum &+ (answer.wait / 1024) &+ (answer.service / 1024) }
            let limit = received &- min(received, time) &+ Self.tolerance
            guard sum <= limit / 1024 &+ 1 else {
                throw DriverFailure(
                    "it states times of \(ReportUnits.time(sum << 10)) "
                        + "for accesses that took "
                        + ReportUnits.time(received &- min(received, time))
                )
            }
            adapt(to: answers)
            return (answers, time, received)
        } catch {
            throw Broken(description: "\(error)")
        }
    }

    private func adapt(to answers: [DriverAnswer]) {
        guard !answers.isEmpty else { return }
        let total = answers.reduce(0) { $0 &+ $1.wait &+ $1.service }
        let mean = max(1, total / UInt64(answers.count))
        batch = min(Int(min(UInt64(Self.maximumBatch), Self.batchTime / mean + 1)), batch * 2)
    }

    /// The time in which a driver must answer to accesses without statements, in seconds.
    private static let echoTime = 10

    /// Sends a prepared line, and waits for its answers.
    ///
    /// - Returns: The time until the answers arrived, without the times in the answers, in nanoseconds.
    func echo(_ bytes: [UInt8], count: Int) throws -> UInt64 {
        sent.append((clock.now(), count))
        do { try DriverSocket.send(bytes, to: socket) } catch {
            throw Broken(description: "\(error)")
        }
        DriverSocket.limitReads(of: socket, to: Self.echoTime)
        defer { DriverSocket.limitReads(of: socket, to: 0) }
        let (answers, start, end) = try receive()
        batch = 1
        let times = answers.reduce(0) { $0 &+ $1.wait &+ $1.service }
        return (end &- start) &- min(end &- start, times)
    }

    func close() { Foundation.close(socket) }
}
