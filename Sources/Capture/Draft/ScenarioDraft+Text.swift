import Text

/// Formats the draft as a scenario file.
extension ScenarioDraft {
    package var yaml: String {
        var lines = options.introduction.flatMap { Escaping.yamlComments($0) }
        lines += [
            "version: 1",
            "name: \(Escaping.yamlName(options.name))",
            "description: \(Escaping.yaml(options.description))",
            "seed: 42",
            "dataset: {file: \(Escaping.yaml(options.database))}    # copied, never changed",
            "",
            "arms:",
        ]
        lines += options.arms.flatMap(\.lines)
        lines += [
            "",
            "phases:",
            "  - {name: warm-up, duration: 1s, measure: false}",
            "  - {name: steady, duration: \(TimeText.number(options.seconds))s}",
            "drain: 2s",
        ]
        if !variables.entries.isEmpty {
            lines += ["", "variables:"]
            lines += variables.entries.map {
                "  \($0.name): {\($0.yaml)}    \(Escaping.yamlComment($0.comment))"
            }
        }
        lines += ["", "clients:"]
        lines += clientLines("reads", access: "read", reads, share: 1 - writeShare)
        lines += clientLines("writes", access: "write", writes, share: writeShare)
        let clients = [("reads", reads), ("writes", writes)].filter { !$0.1.isEmpty }.map(\.0)
        let metric = options.rate == nil ? "throughput" : "response.p99"
        let primary = clients.map { "\($0).\(metric)" }
        lines += ["", "primary: [\(primary.joined(separator: ", "))]"]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The share of writes in the load, from 0 to 1.
    private var writeShare: Double {
        if writes.isEmpty { return 0 }
        if reads.isEmpty { return 1 }
        return options.writeShare ?? Double(writes.count) / Double(reads.count + writes.count)
    }

    private func clientLines(
        _ name: String,
        access: String,
        _ operations: [Operation],
        share: Double
    ) -> [String] {
        guard !operations.isEmpty else { return [] }
        let workers = max(1, Int((Double(options.workers) * share).rounded()))
        var lines = ["  \(name):", "    access: \(access)", "    workers: \(workers)"]
        if let rate = options.rate {
            lines.append("    arrival: {rate: \(TimeText.rate(rate * share))}")
        }
        lines.append("    mix:")
        for operation in operations {
            if let comment = operation.comment {
                lines += Escaping.yamlComments(comment).map { "      " + $0 }
            }
            lines.append("      - name: \(Escaping.yamlName(operation.name))")
            if operation.statements.count == 1 {
                lines.append("        sql: \(Escaping.yaml(operation.statements[0]))")
            } else {
                lines.append("        sql:")
                lines += operation.statements.map { "          - \(Escaping.yaml($0))" }
            }
        }
        return lines
    }
}

extension Escaping {
    /// Splits text into comment lines of at most about 100 characters.
    static func yamlComments(_ text: String) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if line.count + word.count > 95, !line.isEmpty {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        if !line.isEmpty { lines.append(line) }
        return lines.map(yamlComment)
    }
}
