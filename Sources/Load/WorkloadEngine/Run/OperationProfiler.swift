import Foundation
import Scenarios

/// A type that profiles how SQLite executes each operation, once per operation.
struct OperationProfiler {
    private let plan: RunPlan
    private let target: any WorkloadTarget
    /// Whether the profiler can run statements in addition to explaining them.
    private let runsStatements: Bool

    /// The maximum duration, in nanoseconds, of an operation that the profiler runs, as measured
    /// during the load.
    private static let maximumOperationTime: UInt64 = 1_000_000_000

    init(_ plan: RunPlan, on target: any WorkloadTarget, runsStatements: Bool) {
        self.plan = plan
        self.target = target
        self.runsStatements = runsStatements
    }

    func add(to clients: inout [String: ClientResult]) {
        for client in plan.clients {
            guard let access = client.access else { continue }
            var values = StatementValues(
                plan.generators,
                random: plan.random(of: client, worker: 0, for: "profile")
            )
            let name = client.name.name
            for (operation, statements) in zip(client.operationNames, client.operations) {
                guard !statements.isEmpty, let measured = clients[name]?.operations?[operation]
                else { continue }
                values.begin()
                let bound = statements.map {
                    BoundStatement(sql: $0.sql, values: values.values(of: $0))
                }
                // Do not run an operation that was interrupted, because it might never end by
                // itself.
                let isQuick =
                    measured.interrupted == 0
                    && measured.service.map { $0.max <= Self.maximumOperationTime } == true
                clients[name]?.operations?[operation]?.profile = profile(
                    bound,
                    access: access,
                    runs: runsStatements && isQuick
                )
            }
        }
    }

    private func profile(
        _ statements: [BoundStatement],
        access: WorkloadAccess,
        runs: Bool
    ) -> OperationProfile? {
        do {
            return try target.profile(statements, in: access, running: runs)
        } catch {
            var profile = OperationProfile()
            profile.note = "\(error)"
            return profile
        }
    }
}

/// A copy of an arm's data, for profiles outside a run.
package struct ProfiledCopy {
    private let scenario: Scenario
    private let arm: Arm
    private let copied: Arm
    private let datasets: DatasetStore
    private let factory: any WorkloadTargetFactory
    private let options: RunOptions

    /// Describes a copy of the data of `arm`, which is opened as `copied`.
    ///
    /// The setup of `copied` is executed.
    package init(
        scenario: Scenario,
        arm: Arm,
        openedAs copied: Arm,
        datasets: DatasetStore,
        factory: any WorkloadTargetFactory,
        options: RunOptions
    ) {
        self.scenario = scenario
        self.arm = arm
        self.copied = copied
        self.datasets = datasets
        self.factory = factory
        self.options = options
    }

    /// Makes the copy, and deletes it after `body` returns.
    ///
    /// If no operation in `clients` has a profile, this method adds those of the copy.
    package func open<Result>(
        addingProfilesTo clients: inout [String: ClientResult],
        _ body: (any WorkloadTarget, [String: ClientResult]) throws -> Result
    ) throws -> Result {
        let folder = options.folder.appendingPathComponent("poolgauge-\(UUID().uuidString)")
        try PrivateFolder.create(at: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("database.sqlite")
        if case .copy(let database) = options.database {
            try factory.copyDatabase(at: database.path, to: file.path) { _ in }
        } else {
            try datasets.copy(dataOf: scenario, for: arm, through: factory, to: file) { _ in }
        }
        let opener = TargetOpener(
            arm: copied,
            factory: factory,
            options: options,
            control: RunControl(clock: options.clock)
        )
        let opened = try opener.open(at: file.path) { _ in }
        defer { try? opened.close() }
        let operations = clients.values.flatMap { ($0.operations ?? [:]).values }
        if operations.allSatisfy({ $0.profile == nil }) {
            let plan = try RunPlan(scenario, on: opened.target, startsProcesses: true)
            OperationProfiler(plan, on: opened.target, runsStatements: true).add(to: &clients)
        }
        return try body(opened.target, clients)
    }
}
