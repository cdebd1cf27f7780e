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
