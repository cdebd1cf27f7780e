import Foundation
import Telemetry

/// Runs a scenario on several arms, block by block, so that each arm meets the same machine.
///
/// In each block every arm runs once, in an order drawn from the seed, on a fresh copy of the same
/// data with the same seed: the runs of a block differ by the arm alone.
public final class ComparisonRun: Sendable {
    private let scenario: Scenario
    private let factory: any WorkloadTargetFactory
    private let options: ComparisonOptions

    private struct State: Sendable {
        var isStopped = false
        var current: WorkloadRun?
    }

    private let state = Lock(State())

    /// Prepares a comparison; nothing happens before ``run()``.
    public init(
        scenario: Scenario,
        factory: any WorkloadTargetFactory,
        options: ComparisonOptions = ComparisonOptions()
    ) {
        self.scenario = scenario
        self.factory = factory
        self.options = options
    }

    /// Ends the comparison early: only completed blocks count, and the result is partial.
    public func stop() {
        let current = state.withLock { state in
            state.isStopped = true
            return state.current
        }
        current?.stop()
    }

    /// Runs all blocks.
    ///
    /// - Throws: ``RunError``, or ``ScenarioError`` for a time that does not fit into a block.
    public func run() async throws -> ComparisonResult {
        let arms = try chosenArms()
        let datasets = options.run.datasets ?? DatasetStore(in: options.run.folder)
        defer { if options.run.datasets == nil { datasets.remove() } }
        var scenario = try self.scenario.scaled(toMeasured: options.duration)
        scenario.arms = arms
        // Thresholds are for single runs; here some of their clients may be left out.
        scenario.thresholds = []
        let leftOut = try leaveOutUnsupported(from: &scenario, datasets)
        var blocks: [[String: ArmResult]] = []
        var order: [[String]] = []
        var random = RandomStream(seed: scenario.seed, stream: "comparison/order")
        for block in 1...max(1, options.blocks) {
            let shuffled = arms.shuffled(using: &random)
            guard
                let results = try await runBlock(block, shuffled, scenario, datasets)
            else { break }
            blocks.append(results)
            order.append(shuffled.map(\.name))
        }
        return ComparisonResult(
            schema: ComparisonResult.schemaName,
            scenario: scenario.name,
            seed: scenario.seed,
            environment: HostEnvironment(in: options.run.folder, scenario: self.scenario),
            blocks: blocks.count,
            blockDuration: options.duration.inSeconds,
            partial: isStopped,
            order: order,
            leftOut: leftOut.isEmpty ? nil : leftOut,
            arms: arms.map { Self.comparison(of: $0, in: blocks) },
            invalidRuns: Self.invalidRuns(in: blocks, arms),
            violations: Self.violations(in: blocks, arms)
        )
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func chosenArms() throws -> [Arm] {
        guard let names = options.arms else { return scenario.arms }
        let known = scenario.arms.map(\.name)
        if let unknown = names.first(where: { !known.contains($0) }) {
            throw RunError(
                .scenario,
                "no arm is named '\(unknown)'" + NearestName.hint(unknown, among: known)
            )
        }
        return scenario.arms.filter { names.contains($0.name) }
    }

    /// One run of every arm; nil when the comparison was stopped meanwhile.
    private func runBlock(
        _ block: Int,
        _ arms: [Arm],
        _ scenario: Scenario,
        _ datasets: DatasetStore
    ) async throws -> [String: ArmResult]? {
        var results: [String: ArmResult] = [:]
        for arm in arms {
            options.onProgress?("block \(block) of \(max(1, options.blocks)): \(arm.name)")
            var runOptions = options.run
            runOptions.datasets = datasets
            runOptions.datasetSeed = scenario.seed
            // Pairs of a block share their seed; blocks do not, or they would be one experiment.
            let run = WorkloadRun(
                scenario: scenario.with(seed: scenario.seed &+ UInt64(block - 1)),
                arm: arm,
                factory: factory,
                options: runOptions
            )
            let isStopped = state.withLock { state in
                state.current = run
                return state.isStopped
            }
            if isStopped { return nil }
            do {
                let result = try await run.run()
                if result.partial { return nil }
                results[arm.name] = result
            } catch is CancellationError {
                return nil
            }
        }
        state.withLock { $0.current = nil }
        return results
    }

    /// Removes the clients that some arm cannot run from the scenario, and says why.
    private func leaveOutUnsupported(
        from scenario: inout Scenario,
        _ datasets: DatasetStore
    ) throws -> [String: String] {
        let folder = options.run.folder.appendingPathComponent("poolgauge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var leftOut: [String: String] = [:]
        for arm in scenario.arms {
            let file = folder.appendingPathComponent("\(UUID().uuidString).sqlite")
            let target = try factory.open(arm, at: file.path)
            for client in scenario.clients {
                guard let access = client.access, !target.supports(access) else { continue }
                leftOut[client.name] =
                    leftOut[client.name]
                    ?? "arm '\(arm.name)' has no \(access.rawValue) accesses"
            }
            try target.close()
        }
        scenario.clients.removeAll { leftOut[$0.name] != nil }
        return leftOut
    }

    // MARK: What the blocks say

    private static func comparison(
        of arm: Arm,
        in blocks: [[String: ArmResult]]
    ) -> ArmComparison {
        var values: [String: [Double]] = [:]
        for result in blocks.compactMap({ $0[arm.name] }) {
            for (name, client) in result.clients {
                for (metric, value) in metrics(of: client) {
                    values["\(name).\(metric)", default: []].append(value)
                }
            }
        }
        return ArmComparison(arm: arm.name, metrics: values.compactMapValues(Spread.init))
    }

    /// The metrics of a client that are compared.
    static let metricNames = [
        "throughput", "response.p50", "response.p99", "wait.p50", "wait.p99",
    ]

    /// The metrics that are compared: those without enough samples are left out.
    private static func metrics(of client: ClientResult) -> [(String, Double)] {
        let all: [(String, Double?)] = [
            ("throughput", client.throughput),
            ("response.p50", client.response?.p50.map { Double($0) }),
            ("response.p99", client.response?.p99.map { Double($0) }),
            ("wait.p50", client.wait?.p50.map { Double($0) }),
            ("wait.p99", client.wait?.p99.map { Double($0) }),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    private static func invalidRuns(in blocks: [[String: ArmResult]], _ arms: [Arm]) -> [String]? {
        let lines = blocks.enumerated().flatMap { index, block in
            arms.compactMap { arm in
                block[arm.name]?.invalidReason.map { "block \(index + 1), \(arm.name): \($0)" }
            }
        }
        return lines.isEmpty ? nil : lines
    }

    private static func violations(in blocks: [[String: ArmResult]], _ arms: [Arm]) -> [String]? {
        let lines = blocks.enumerated().flatMap { index, block in
            arms.flatMap { arm in
                (block[arm.name]?.invariants ?? []).filter { $0.passed == false }.map {
                    "block \(index + 1), \(arm.name), \($0.name): \($0.detail)"
                }
            }
        }
        return lines.isEmpty ? nil : lines
    }
}
