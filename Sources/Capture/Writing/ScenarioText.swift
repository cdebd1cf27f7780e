import Text

/// A type that writes a captured scenario as YAML with comments.
struct ScenarioText {
    let analysis: CaptureAnalysis
    let options: CaptureOptions
    let clients: [ClientPlanner.Client]
    let arms: CapturedArms
    let variables: [VariableRegistry.Entry]
    let omissions: [String]

    var text: String {
        let parts = [
            header, section("arms", armLines), phases, section("variables", variableLines),
            section("transactions", transactionLines), section("clients", clientLines), goals,
        ]
        return parts.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
            .joined(separator: "\n\n") + "\n"
    }

    private func section(_ name: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : ["\(name):"] + lines
    }

    // MARK: Header

    private var header: [String] {
        let statements = HumanUnits.exact(analysis.executionCount, "statement")
        let transactions = HumanUnits.exact(
            analysis.shapes.reduce(0) { $0 + $1.count },
            "transaction"
        )
        let duration = TimeText.yaml(analysis.duration)
        var lines = Self.comment(
            "Captured from \(options.origin): \(statements) in \(transactions) over \(duration)."
        )
        lines += Self.comment(
            options.showsValues
                ? "Values are drawn from distributions fitted to the observed values; values that occur "
                    + "fewer than \(options.minimumCount) times are not shown."
                : "Values are drawn from the columns of the database; this file contains no values "
                    + "from the program."
        )
        lines += ["#"] + Self.comment("Not modeled:")
        lines += omissions.flatMap { Self.comment("- \($0)") }
        lines += [
            "version: 1",
            "name: \(Escaping.yamlName(options.name))",
            "description: \(Escaping.yaml("The load captured from \(options.origin)."))",
            "seed: 42",
            "guard: captured",
            "dataset: {file: \(Escaping.yaml(options.database))}    # copied, never changed",
        ]
        return lines
    }

    private var armLines: [String] {
        arms.lines.flatMap { line in
            Self.comment(line.comment).map { "  " + $0 } + [
                "  \(line.name): \(line.yaml)"
            ]
        }
    }

    private var phases: [String] {
        let length = min(max(analysis.duration.rounded(), 5), 30)
        return [
            "phases:",
            "  - {name: warm-up, duration: 2s, measure: false}",
            "  - {name: steady, duration: \(Int(length))s}",
            "drain: 5s",
        ]
    }

    private var variableLines: [String] {
        variables.map { "  \($0.name): {\($0.yaml)}    \(Escaping.yamlComment($0.comment))" }
    }

    // MARK: Operations

    private var operations: [PlannedOperation] {
        var seen: Set<Int> = []
        return clients.flatMap(\.operations).map(\.operation)
            .filter { seen.insert($0.shape).inserted }
            .sorted { $0.shape < $1.shape }
    }

    private var transactionLines: [String] {
        operations.flatMap { operation -> [String] in
            let shape = analysis.shapes[operation.shape]
            var facts = shape.count == 1 ? "run once" : "\(HumanUnits.exact(shape.count)) times"
            if shape.isTimed {
                facts +=
                    ", p50 \(TimeText.yaml(shape.durations.quantile(0.5))), p99 "
                    + TimeText.yaml(shape.durations.quantile(0.99))
            }
            if shape.busyCount > 0 { facts += ", \(HumanUnits.exact(shape.busyCount)) × busy" }
            if let rolledBack = shape.outcomes[.rolledBack] {
                facts += ", \(HumanUnits.exact(rolledBack)) rolled back"
            }
            return Self.comment(facts).map { "  " + $0 }
                + ["  \(Escaping.yamlName(operation.name)):"]
                + Self.lines(operation.steps, depth: 2)
        }
    }

    private static func lines(_ steps: [PlannedOperation.Step], depth: Int) -> [String] {
        let indent = String(repeating: "  ", count: depth)
        return steps.flatMap { step -> [String] in
            switch step {
            case .statement(let sql):
                return ["\(indent)- \(Escaping.yaml(sql))"]
            case .keep(let sql, let names):
                return [
                    "\(indent)- {sql: \(Escaping.yaml(sql)), into: [\(names.joined(separator: ", "))]}"
                ]
            case .pause(let pause):
                return ["\(indent)- {pause: \(pause.yaml)}"]
            case .loop(let count, let body):
                return ["\(indent)- repeat: \(count)", "\(indent)  do:"]
                    + lines(body, depth: depth + 2)
            }
        }
    }

    private var clientLines: [String] {
        clients.flatMap { client -> [String] in
            var lines = client.evidence.flatMap { Self.comment($0) }.map { "  " + $0 }
            lines.append("  \(client.name):")
            lines.append("    access: \(client.writes ? "write" : "read")")
            lines.append("    workers: \(client.workers)")
            switch client.pace {
            case .closed(let thinkTime):
                if let thinkTime { lines.append("    think: \(thinkTime.yaml)") }
            case .open(let rates, let isEven):
                lines.append("    arrival: {\(Self.arrival(rates, isEven: isEven))}")
            }
            if client.retries > 0 { lines.append("    retry: {busy: \(client.retries)}") }
            lines.append("    mix:")
            for share in client.operations.sorted(by: { $0.count > $1.count }) {
                let access =
                    client.writes && !share.operation.writes ? ", access: read" : ""
                let name = Escaping.yamlName(share.operation.name)
                lines.append("      - {weight: \(share.count), use: \(name)\(access)}")
            }
            return lines
        }
    }

    private static func arrival(_ rates: [Double], isEven: Bool) -> String {
        let process = isEven ? ", process: even" : ""
        guard rates.count > 1 else { return "rate: \(TimeText.rate(rates[0]))\(process)" }
        let periodLength = TimeText.number(100 / Double(rates.count)) + "%"
        let stages = rates.map { "{for: \(periodLength), rate: \(TimeText.rate($0))}" }
        return "rate: [\(stages.joined(separator: ", "))]\(process)"
    }

    // MARK: Goals

    private var goals: [String] {
        let primary = clients.prefix(3).map { client in
            if case .closed = client.pace { return "\(client.name).throughput" }
            return "\(client.name).response.p99"
        }
        var lines = ["primary: [\(primary.joined(separator: ", "))]"]
        lines += ["thresholds:"]
        for client in clients {
            if let limit = responseLimit(of: client) {
                lines += Self.comment(limit.comment).map { "  " + $0 }
                lines.append("  \(client.name).response: [\"\(limit.expression)\"]")
            }
            let failures = client.operations.reduce(0) {
                $0 + analysis.shapes[$1.operation.shape].failureCount
            }
            let share = Double(failures) / Double(max(1, client.count))
            lines.append(
                "  \(client.name).errors: [\"rate < \(TimeText.number(share * 1.5 + 0.01))\"]"
            )
        }
        return lines + ["invariants: [integrity-check]"]
    }

    /// Returns a limit for the response time: the observed value, rounded up to 1, 2, or 5 times a
    /// power of ten, or `nil` if there are too few transactions or their durations are unknown.
    private func responseLimit(
        of client: ClientPlanner.Client
    ) -> (expression: String, comment: String)? {
        let shapes = client.operations.map { analysis.shapes[$0.operation.shape] }
        guard client.count >= 100, shapes.allSatisfy(\.isTimed) else { return nil }
        // The percentile of a mix does not exceed the largest percentile of its operations.
        let share = client.count >= 1000 ? 0.99 : 0.9
        guard let observed = shapes.map({ $0.durations.quantile(share) }).max(), observed > 0 else {
            return nil
        }
        var limit = 1e-6
        for step in sequence(first: 0, next: { $0 + 1 }) {
            limit = [1.0, 2, 5][step % 3] * Self.power(step / 3) * 1e-6
            if limit >= observed { break }
        }
        return (
            "p(\(Int(share * 100))) < \(TimeText.yaml(limit))",
            "The observed p\(Int(share * 100)) of the client's slowest operation was "
                + "\(TimeText.yaml(observed))."
        )
    }

    private static func power(_ exponent: Int) -> Double {
        (0..<exponent).reduce(1) { result, _ in result * 10 }
    }

    /// Splits a comment into lines of at most about 100 characters.
    private static func comment(_ text: String) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if line.count + word.count > 100, !line.isEmpty {
                lines.append(line)
                line = text.hasPrefix("- ") ? " " : ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        if !line.isEmpty { lines.append(line) }
        return lines.map(Escaping.yamlComment)
    }
}

extension ShapeStatistics {
    /// The number of transactions that failed, for example because of a lock.
    var failureCount: Int { (outcomes[.busy] ?? 0) + (outcomes[.failed] ?? 0) }
}
