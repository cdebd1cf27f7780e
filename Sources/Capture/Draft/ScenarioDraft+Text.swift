import Telemetry
import WorkloadEngine

/// Formats the draft as a scenario file.
extension ScenarioDraft {
    package var yaml: String {
        var scenario = Scenario(
            name: options.name,
            dataset: .file(options.database),
            arms: options.arms.map(\.arm),
            phases: [
                Phase(name: "warm-up", duration: .seconds(1), isMeasured: false),
                Phase(name: "steady", duration: .rounded(options.seconds)),
            ],
            clients: []
        )
        scenario.description = options.description
        var comments = ["dataset": ["copied, never changed"]]
        for arm in options.arms { comments["arms.\(arm.name)"] = [arm.comment] }
        for entry in variables.entries {
            scenario.variables[entry.name] = entry.variable
            comments["variables.\(entry.name)"] = [entry.comment]
        }
        for (name, operations, access, share) in [
            ("reads", reads, WorkloadAccess.read, 1 - writeShare),
            ("writes", writes, .write, writeShare),
        ] where !operations.isEmpty {
            scenario.clients.append(client(name, access, operations, share: share))
            for operation in operations {
                let path = "clients.\(name).mix.\(operation.name)"
                comments[path] = operation.comment.map { [$0] }
            }
        }
        let metric = options.rate == nil ? "throughput" : "response.p99"
        scenario.primary = scenario.clients.map { "\($0.name).\(metric)" }
        return ScenarioEncoder.text(
            of: scenario,
            introduction: options.introduction,
            comments: comments
        )
    }

    /// The share of writes in the load, from 0 to 1.
    private var writeShare: Double {
        if writes.isEmpty { return 0 }
        if reads.isEmpty { return 1 }
        return options.writeShare ?? Double(writes.count) / Double(reads.count + writes.count)
    }

    private func client(
        _ name: String,
        _ access: WorkloadAccess,
        _ operations: [Operation],
        share: Double
    ) -> Client {
        let mix = operations.map {
            WorkloadEngine.Operation(name: $0.name, statements: $0.statements)
        }
        var client = Client(name: name, activity: .operations(access, mix: mix))
        client.workers = max(1, Int((Double(options.workers) * share).rounded()))
        if let rate = options.rate { client.pace = .open(Arrival(rate: .rounded(rate * share))) }
        return client
    }
}
