import Foundation
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

    /// Starts the driver, connects a lane for each worker, and measures the cost of the protocol.
    ///
    /// - Throws: ``RunError``, or `CancellationError` if the run stops.
    func start(_ plans: [ClientPlan], unless isStopped: () -> Bool) throws {
        guard let driver = arm.driver else { return }
        var accesses: [DriverSetup.Access] = []
        var echoValues: [WorkloadValue] = []
        for plan in plans {
            if let obstacle = plan.driverObstacle {
                state.withLock { $0.elsewhere[plan.name.name] = obstacle }
                continue
            }
            state.withLock { $0.firstAccesses[plan.name.name] = accesses.count }
            for (operation, access) in plan.accesses.enumerated() {
                let statements = plan.driven(operation) ?? []
                accesses.append(DriverSetup.Access(access, statements.map(\.plan.sql)))
            }
            let parameters = accesses.suffix(plan.operations.count).map {
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
                try greet(process, DriverSetup(arm, at: path, accesses: accesses), isStopped)
                let clients = plans.filter { $0.driverObstacle == nil }
                var lanes = try connect(clients.reduce(0) { $0 + $1.client.workers })
                let cost = try DriverCost.measure(on: lanes, values: echoValues, clock: clock)
                state.withLock { state in
                    state.cost = cost
                    state.echoValues = echoValues
                    for client in clients {
                        state.unusedLanes[client.name.name] = Array(
                            lanes.prefix(client.client.workers)
                        )
                        lanes.removeFirst(client.client.workers)
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
        _ setup: DriverSetup,
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
            let cost = try? DriverCost.perAccess(on: lanes, DriverCost.line(values), clock)
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
