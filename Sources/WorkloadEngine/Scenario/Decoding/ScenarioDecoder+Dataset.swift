import Yams

extension ScenarioDecoder {
    func decodeDataset(_ top: MappingReader) -> Dataset? {
        guard let node = top.required("dataset", example: "{preset: pgbench, scale: 1}"),
            let reader = MappingReader(
                node,
                what: "the dataset",
                keys: ["preset", "scale", "records", "sql", "schema"],
                log: log
            )
        else { return nil }
        let ways = ["preset", "sql", "schema"].filter(reader.has)
        guard let way = ways.first else {
            log.add("the dataset needs 'preset' or 'sql'", at: reader.mark)
            return nil
        }
        if ways.count > 1 {
            log.add("'\(ways[1])' does not go with '\(way)'", at: reader.mark(of: ways[1]))
        }
        return way == "preset" ? presetDataset(reader) : sqlDataset(reader, key: way)
    }

    private func presetDataset(_ reader: MappingReader) -> Dataset? {
        let name = reader.word("preset", of: Dataset.presets.map(\.presetName))
        guard let preset = Dataset.presets.first(where: { $0.presetName == name }),
            let scales = preset.scales
        else { return nil }
        if case .ycsb = preset, reader.has("records") {
            if reader.has("scale") {
                log.add("'scale' does not go with 'records'", at: reader.mark(of: "scale"))
            }
            let most = scales.upperBound * Dataset.ycsbRecordsPerScale
            return reader.integer("records", in: 1...most).map(Dataset.ycsb(records:))
        }
        if reader.has("records") {
            log.add(
                "'records' goes with ycsb; pgbench has 'scale'",
                at: reader.mark(of: "records")
            )
        }
        let scale = reader.has("scale") ? reader.integer("scale", in: scales) : 1
        return scale.map(preset.with(scale:))
    }

    private func sqlDataset(_ reader: MappingReader, key: String) -> Dataset? {
        for other in ["scale", "records"] where reader.has(other) {
            log.add("'\(other)' goes with 'preset'", at: reader.mark(of: other))
        }
        guard let node = reader[key],
            let statements = SQLReader(what: "the dataset", log: log).statements(node)
        else { return nil }
        for statement in statements {
            let template = StatementTemplate(sql: statement.sql)
            let all = template.parameters.map { ":\($0)" } + template.foreignParameters
            for parameter in all {
                log.add(
                    "the dataset's SQL takes no parameters, but has '\(parameter)' in "
                        + "'\(statement.sql)'",
                    at: statement.mark
                )
            }
        }
        return .sql(statements.map(\.sql))
    }

    mutating func decodeVariables(_ top: MappingReader) {
        for entry in top.named("variables", each: "a variable") {
            if let variable = decodeVariable(entry) { variables[entry.name] = variable }
        }
    }

    private mutating func decodeVariable(
        _ entry: (name: String, key: Node, value: Node)
    ) -> Variable? {
        let name = entry.name
        guard
            let reader = MappingReader(
                entry.value,
                what: "variable '\(name)'",
                keys: ["distribution", "min", "max", "theta", "scramble", "length"],
                at: entry.key.mark,
                log: log
            ),
            reader.required("distribution", example: "uniform") != nil,
            let kind = reader.word("distribution", of: ["uniform", "zipfian", "text"])
        else {
            // A variable with a mistake is still a variable: its uses are no further mistakes.
            return Variable(distribution: .uniform, minimum: 0, maximum: 0)
        }
        let keys: [String: [String]] = [
            "uniform": ["min", "max"], "zipfian": ["min", "max", "theta", "scramble"],
            "text": ["length"],
        ]
        for other in reader.all.map(\.name) where other != "distribution" {
            if keys[kind]?.contains(other) != true {
                log.add("'\(other)' does not go with \(kind)", at: reader.mark(of: other))
            }
        }
        if kind == "text" {
            _ = reader.required("length", example: "100")
            let length = reader.integer("length", in: 1...1_000_000) ?? 1
            return Variable(distribution: .text(length: length), minimum: 0, maximum: 0)
        }
        let scramble = reader.bool("scramble") ?? false
        let theta = reader.positive("theta", most: 100) ?? Generator.usualTheta
        let isUniform = kind == "uniform"
        let (minimum, maximum) = decodeRange(name, reader, isRanked: !isUniform && !scramble)
        let distribution: Variable.Distribution =
            isUniform ? .uniform : .zipfian(theta: theta, scramble: scramble)
        return Variable(distribution: distribution, minimum: minimum, maximum: maximum)
    }

    private mutating func decodeRange(
        _ name: String,
        _ reader: MappingReader,
        isRanked: Bool
    ) -> (Int64, Int64) {
        if !reader.has("min"), !reader.has("max"), let builtIn = dataset.variables[name],
            builtIn.isInteger
        {
            inheritedRanges.insert(name)
            return (builtIn.minimum, builtIn.maximum)
        }
        _ = reader.required("min", example: "1")
        _ = reader.required("max", example: "1000")
        let limit = Int64.max / 2
        guard let minimum = reader.integer("min", in: -limit...limit),
            let maximum = reader.integer("max", in: -limit...limit)
        else { return (0, 0) }
        if minimum > maximum {
            log.add(
                "'max' of \(reader.what) is \(maximum), below 'min' \(minimum)",
                at: reader.mark(of: "max")
            )
            return (0, 0)
        }
        let most = ZipfianDistribution.mostRanks
        if isRanked, maximum - minimum >= most {
            log.add("a zipfian has at most \(most) values", at: reader.mark(of: "max"))
            return (0, 0)
        }
        return (minimum, maximum)
    }
}
