import EngineTarget
import Foundation
import Scenarios
import Testing

@testable import WorkloadEngine

/// Tests short runs of each preset on real databases.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PresetRunTests {
    /// The result of a run, and the number of rows that its load added.
    private struct Outcome {
        var result: ArmResult
        var addedRows: Int

        /// Whether the run completed no accesses.
        var isIdle: Bool { result.clients.values.allSatisfy { $0.completed == 0 } }
    }

    /// Runs one arm without a warm-up, so that every access is counted.
    private func run(
        _ scenario: Scenario,
        _ arm: Arm,
        _ store: DatasetStore
    ) async throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-preset-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = RunOptions()
        options.folder = folder
        options.datasets = store
        options.keepsFolder = true
        let factory = EngineTargetFactory()
        let fresh = folder.appendingPathComponent("fresh.sqlite")
        try store.copy(dataOf: scenario, for: arm, through: factory, to: fresh) { _ in }
        let run = WorkloadRun(scenario: scenario, arm: arm, factory: factory, options: options)
        let result = try await run.run()
        let kept = try FileManager.default
            .contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .first { $0.hasDirectoryPath }
        let used = try #require(kept).appendingPathComponent("database.sqlite")
        return Outcome(result: result, addedRows: try rows(of: used) - rows(of: fresh))
    }

    /// Returns the total number of rows in all tables of a database.
    private func rows(of file: URL) throws -> Int {
        let target = try EngineTargetFactory().open(Arm(name: "look", kind: .queue), at: file.path)
        defer { try? target.close() }
        var total = 0
        try target.perform(.read, as: WorkloadClientName("look")) { session in
            let tables = try session.rows(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
                []
            )
            for case .text(let name)? in tables.map(\.first) {
                let count = try session.rows("SELECT count(*) FROM \"\(name)\"", [])
                if case .integer(let number) = count.first?.first { total += Int(number) }
            }
        }
        return total
    }

    /// Returns the number of rows that each execution of an operation adds.
    private func growth(_ statements: [String]) -> Int {
        statements.reduce(0) { sum, sql in
            switch StatementTemplate(sql: sql).verb {
            case "INSERT": sum + 1
            case "DELETE": sum - 1
            default: sum
            }
        }
    }

    /// Returns the range for the number of rows that a client added.
    ///
    /// The lower bound counts the completed accesses. The upper bound also counts the accesses in
    /// progress at the end of the run.
    private func growth(of client: Client, _ result: ClientResult) -> ClosedRange<Int> {
        let perAccess: [(count: Int, growth: Int)]
        switch client.activity {
        case .operations(_, let mix):
            perAccess = mix.map { operation in
                let counts = result.operations?[operation.name] ?? result
                return (Int(counts.completed), growth(operation.statements))
            }
        case .importRows(_, let batch, let statement):
            perAccess = [(Int(result.completed), batch * growth(statement.map { [$0] } ?? []))]
        default:
            return 0...0
        }
        let completed = perAccess.reduce(0) { $0 + $1.count * $1.growth }
        let largest = perAccess.map(\.growth).max() ?? 0
        return completed...completed + Int(result.unfinished) * max(0, largest)
    }

    @Test(arguments: Presets.all.map(\.name))
    func everyArmRunsAndItsDataMatchesItsCounts(name: String) async throws {
        var scenario = try #require(Presets.named(name)).scenario().with(scale: 1)
        scenario.phases.removeAll { !$0.isMeasured }
        scenario = try scenario.scaled(toMeasured: .milliseconds(200))
        let store = DatasetStore()
        defer { store.remove() }
        for arm in scenario.defaultArms {
            var outcome = try await run(scenario, arm, store)
            // A closed loop starts no accesses while the machine stalls.
            if outcome.isIdle {
                outcome = try await run(scenario.scaled(toMeasured: .seconds(4)), arm, store)
            }
            var expected = 0...0
            for client in scenario.clients {
                guard let result = outcome.result.clients[client.name] else {
                    #expect(outcome.result.unsupported?[client.name] != nil)
                    continue
                }
                #expect(result.isBalanced, "\(client.name) in \(arm.name)")
                // With several processes, SQLITE_BUSY is the only error allowed.
                let codes = Set(result.errors.keys)
                let expectedCodes: Set<String> = name == "two-processes" ? ["SQLITE_BUSY"] : []
                #expect(
                    codes.isSubset(of: expectedCodes),
                    "\(client.name) in \(arm.name): \(result.errors)"
                )
                let added = growth(of: client, result)
                expected =
                    expected.lowerBound + added.lowerBound...expected.upperBound + added.upperBound
            }
            #expect(!outcome.isIdle)
            #expect(expected.contains(outcome.addedRows), "rows in \(arm.name)")
            for invariant in outcome.result.invariants {
                #expect(invariant.passed != false, "\(invariant.name): \(invariant.detail)")
            }
        }
    }

    @Test(arguments: Presets.all.map(\.name))
    func everyStatementIsPrepared(name: String) throws {
        let scenario = try #require(Presets.named(name)).scenario()
        try StatementCheck(EngineTargetFactory()).check(scenario)
    }
}
