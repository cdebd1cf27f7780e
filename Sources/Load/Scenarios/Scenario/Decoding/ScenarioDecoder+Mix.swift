import Text
import Yams

extension ScenarioDecoder {
    /// Decodes a client's operations, or logs errors and returns an empty array.
    func decodeMix(_ client: String, reader: MappingReader, access: WorkloadAccess) -> [Operation] {
        guard let contentKey = reader.only(of: ["sql", "use", "mix"]) else {
            log.add(
                "\(reader.what) requires 'sql', 'use', 'mix', 'hold', or 'rows'",
                at: reader.mark
            )
            return []
        }
        guard contentKey == "mix" else {
            guard let steps = decodeSteps(reader, access: access) else { return [] }
            let name = reader["use"]?.scalar?.string ?? client
            return [Operation(name: name, steps: steps)]
        }
        let sequence = reader["mix"]?.sequence
        guard let sequence, !sequence.isEmpty else {
            reader.add(
                "'mix' of \(reader.what) "
                    + (sequence == nil ? "must be a list, " : "is an empty list; add operations, ")
                    + "such as [{weight: 9, use: select-only}]",
                atValue: "mix"
            )
            return []
        }
        var operations: [Operation] = []
        for item in sequence {
            guard let operation = decodeOperation(item, of: reader, access: access) else {
                continue
            }
            if operations.contains(where: { $0.name == operation.name }) {
                log.add(
                    "two operations of \(reader.what) have the name '\(operation.name)'; "
                        + "choose different names",
                    at: item.mark
                )
            }
            operations.append(operation)
        }
        return operations
    }

    private func decodeOperation(
        _ item: Node,
        of client: MappingReader,
        access: WorkloadAccess
    ) -> Operation? {
        guard
            let reader = MappingReader(
                item,
                what: "an operation of \(client.what)",
                Language.operation,
                log: log
            )
        else { return nil }
        guard reader.alternative() != nil else { return nil }
        let weight = reader.has("weight") ? reader.positive("weight") : 1
        let name = reader.text("name") ?? (reader.has("name") ? nil : reader.text("use"))
        if name == nil, !reader.has("name") {
            log.add("\(reader.what) needs a 'name' for the results", at: reader.mark)
        }
        let declared = reader.word("access").map { $0 == "read" ? WorkloadAccess.read : .write }
        if reader.has("access"), declared == nil { return nil }
        guard let steps = decodeSteps(reader, access: declared ?? access), let weight, let name
        else {
            return nil
        }
        return Operation(name: name, weight: weight, access: declared, steps: steps)
    }

    /// Decodes the statements of `sql` or `use`, or logs errors and returns `nil`.
    func decodeStatements(_ reader: MappingReader) -> [String]? {
        decodeSteps(reader, access: .write)?.flatMap(\.statements)
    }

    /// Decodes the steps of `sql` or `use`, or logs errors and returns `nil`.
    func decodeSteps(_ reader: MappingReader, access: WorkloadAccess) -> [Step]? {
        var steps: [Step]?
        if let node = reader["sql"] {
            var stepReader = StepReader(self, what: "'sql' of \(reader.what)")
            steps = stepReader.steps(node)
        } else if let node = reader["use"], let name = reader.text("use") {
            steps = procedure(name, at: node.mark)
        }
        for sql in steps?.flatMap(\.statements) ?? [] where access == .read {
            checkReads(sql, reader: reader)
        }
        return steps
    }

    /// Returns the steps of a statement or a transaction, or logs an error and returns `nil` if the
    /// name is unknown.
    func procedure(_ name: String, at mark: Mark?) -> [Step]? {
        let builtIn = dataset.transactions[name]?.map { Step.run($0) }
        guard let steps = transactions[name] ?? builtIn else {
            let known = (Array(transactions.keys) + Array(dataset.transactions.keys)).sorted()
            let elsewhere = Dataset.presets.first { $0.transactions[name] != nil }
            log.add(
                elsewhere.map {
                    "transaction '\(name)' requires dataset: {preset: \($0.presetName)}"
                }
                    ?? "unknown statement or transaction '\(name)'"
                    + (NearestName.of(name, among: known).map { "; did you mean '\($0)'?" }
                        ?? "; define it under 'statements' or 'transactions'"),
                at: mark
            )
            return nil
        }
        return steps
    }

    func singleStatement(_ reader: MappingReader) -> String? {
        guard let node = reader["sql"],
            let list = SQLReader(what: "'sql' of \(reader.what)", log: log).statements(node)
        else { return nil }
        checkParameters(of: list)
        if list.count > 1 {
            log.add("\(reader.what) accepts one statement, not \(list.count)", at: node.mark)
        }
        return list.first?.sql
    }

    /// Logs an error if a statement in a read access writes.
    func checkReads(_ sql: String, reader: MappingReader, at mark: Mark? = nil) {
        let writes = [
            "INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE", "DROP", "ALTER", "REINDEX", "VACUUM",
        ]
        let verb = StatementTemplate(sql: sql).verb
        guard writes.contains(verb) else { return }
        log.add(
            "a read access cannot run \(verb): '\(sql)'; use access: write",
            at: mark ?? reader["sql"]?.mark ?? reader["use"]?.mark
        )
    }

    /// Decodes a client's pace, or returns `nil` for a closed loop without think time.
    func decodePace(_ reader: MappingReader) -> Client.Pace? {
        switch reader.only(of: ["arrival", "at", "every", "think"]) {
        case "arrival":
            return decodeArrival(reader).map(Client.Pace.open)
        case "at":
            return reader.span("at").map(Client.Pace.at)
        case "every":
            return reader.span("every").map(Client.Pace.every)
        case "think":
            return decodeThinkTime("think", of: reader).map(Client.Pace.closed)
        default:
            return nil
        }
    }

    private func decodeArrival(_ reader: MappingReader) -> Arrival? {
        guard let arrival = reader.mapping("arrival"),
            let node = arrival.required("rate", example: "200/s")
        else { return nil }
        let process: Arrival.Process = arrival.choice("process") ?? .poisson
        let skipAfter = arrival.duration("skip-after")
        if node.scalar == nil {
            return decodeStages(node, of: arrival).map {
                Arrival(stages: $0, process: process, skipAfter: skipAfter)
            }
        }
        guard let rate = rate("rate", of: arrival) else { return nil }
        if rate == 0 {
            log.add(
                "\(arrival.path("rate")) must be above 0 and at most 10000000/s",
                at: node.mark
            )
            return nil
        }
        return Arrival(rate: rate, process: process, skipAfter: skipAfter)
    }

    /// Decodes a changing rate, which is a ramp or a list of stages.
    private func decodeStages(_ node: Node, of arrival: MappingReader) -> [Arrival.Stage]? {
        guard let sequence = node.sequence else {
            return decodeStage(node, of: arrival, isAlone: true).map { [$0] }
        }
        let stages = sequence.map { decodeStage($0, of: arrival, isAlone: false) }
        guard !stages.isEmpty, !stages.contains(nil) else {
            if stages.isEmpty {
                log.add("\(arrival.path("rate")) must have at least one stage", at: node.mark)
            }
            return nil
        }
        let known = stages.compactMap { $0 }
        let length = known.reduce(Duration.zero) { $0 + $1.length.resolved(in: measured) }
        if measured > .zero, length > measured + .milliseconds(1) {
            log.add(
                "the stages of \(arrival.what) last \(ReportUnits.unitless(length.inSeconds))s, "
                    + "longer than the measured time, "
                    + "\(ReportUnits.unitless(measured.inSeconds))s; write 'for' in percent",
                at: node.mark
            )
        }
        if known.allSatisfy({ $0.from == 0 && $0.to == 0 }) {
            log.add("no stage of \(arrival.what) has a rate above 0", at: node.mark)
        }
        return known
    }

    /// Decodes `{from: 100/s, to: 1000/s}` or, in a list, `{for: 20%, rate: 100/s}`.
    private func decodeStage(
        _ node: Node,
        of arrival: MappingReader,
        isAlone: Bool
    ) -> Arrival.Stage? {
        guard
            let stage = MappingReader(
                node,
                what: isAlone ? arrival.path("rate") : "a stage of \(arrival.what)",
                isAlone ? Language.ramp : Language.stage,
                at: node.mark,
                log: log
            )
        else { return nil }
        var length = TimeSpan.share(1)
        if !isAlone {
            guard stage.required("for", example: "20%") != nil,
                let span = stage.span("for")
            else { return nil }
            length = span
        }
        if stage.has("rate") {
            return rate("rate", of: stage).map { Arrival.Stage(from: $0, to: $0, length: length) }
        }
        guard stage.required("from", example: "100/s") != nil,
            stage.required("to", example: "1000/s") != nil,
            let from = rate("from", of: stage), let to = rate("to", of: stage)
        else { return nil }
        return Arrival.Stage(from: from, to: to, length: length)
    }

    private func rate(_ name: String, of reader: MappingReader) -> Double? {
        guard let rate = reader.quantity(name, Quantity.rate) else { return nil }
        if rate <= 1e7 { return rate }
        log.add(
            "\(reader.path(name)) must be at most 10000000/s",
            at: reader[name]?.mark
        )
        return nil
    }

    /// Decodes `5ms`, `{from: 1ms, to: 9ms}`, or `{mean: 5ms}`.
    func decodeThinkTime(_ key: String, of reader: MappingReader) -> ThinkTime? {
        guard reader[key] != nil, reader[key]?.scalar == nil else {
            return reader.duration(key).map(ThinkTime.constant)
        }
        guard let think = reader.mapping(key) else { return nil }
        if think.has("mean") {
            return think.duration("mean").map(ThinkTime.exponential(mean:))
        }
        guard think.required("from", example: "1ms") != nil,
            think.required("to", example: "9ms") != nil,
            let from = think.duration("from"), let to = think.duration("to")
        else { return nil }
        guard from <= to else {
            think.add("\(think.path("from")) must not be longer than 'to'", atValue: "from")
            return nil
        }
        return .uniform(from...to)
    }
}
