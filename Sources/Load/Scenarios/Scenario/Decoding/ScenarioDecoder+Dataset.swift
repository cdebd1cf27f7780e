import Text
import Yams

extension ScenarioDecoder {
    func decodeDataset(_ top: MappingReader) -> Dataset? {
        guard let node = top.required("dataset", example: "{preset: pgbench, scale: 1}"),
            let reader = MappingReader(node, what: "the dataset", Language.dataset, log: log)
        else { return nil }
        switch reader.alternative() {
        case nil: return nil
        case "preset": return presetDataset(reader)
        case "file":
            return reader["file"].flatMap { node in
                reader.text("file").flatMap { databasePath($0, at: node.mark) }
            }.map(Dataset.file)
        case let key?: return schemaDataset(reader, key: key)
        }
    }

    private func presetDataset(_ reader: MappingReader) -> Dataset? {
        let name = reader.word("preset")
        guard let preset = Dataset.presets.first(where: { $0.presetName == name }),
            let scales = preset.scales
        else { return nil }
        let sizes = ["records": "ycsb", "table-size": "sysbench"]
        for (key, owner) in sizes.sorted(by: { $0.key < $1.key }) where reader.has(key) {
            guard preset.presetName == owner else {
                reader.add(
                    "'\(key)' is valid only for \(owner); for \(preset.presetName), use 'scale'",
                    atKey: key
                )
                continue
            }
            if reader.has("scale") {
                reader.add("'scale' cannot be combined with '\(key)'", atKey: "scale")
            }
            return owner == "ycsb"
                ? reader.integer(key, in: 1...scales.upperBound * Dataset.ycsbRecordsPerScale)
                    .map(Dataset.ycsb(records:))
                : reader.integer(key, in: 1...scales.upperBound * SysbenchDataset.rowsPerScale)
                    .map(Dataset.sysbench(rows:))
        }
        let scale = reader.has("scale") ? reader.integer("scale", in: scales) : 1
        return scale.map(preset.with(scale:))
    }

    private func schemaDataset(_ reader: MappingReader, key: String) -> Dataset? {
        guard let node = reader[key] else { return nil }
        guard let statements = plainStatements(node, what: "the dataset") else { return nil }
        var schema = SchemaDataset(statements: statements)
        schema.tables = reader.named("rows", each: "a table").compactMap { decodeTable($0) }
        if let node = reader["finally"] {
            schema.finally =
                plainStatements(node, what: "'finally' of the dataset") ?? []
        }
        if reader.has("scale") {
            if schema.tables.isEmpty {
                reader.add("'scale' requires 'preset' or 'rows'", atKey: "scale")
            }
            schema.scale = reader.integer("scale") ?? 1
        }
        return .schema(schema)
    }

    private func plainStatements(_ node: Node, what: String) -> [String]? {
        let statements = SQLReader(what: what, log: log).statements(node)
        for statement in statements ?? [] { checkNoParameters(statement, of: "the dataset's SQL") }
        return statements?.map(\.sql)
    }

    private func decodeTable(
        _ entry: (name: String, key: Node, value: Node)
    ) -> SchemaDataset.Table? {
        guard
            let reader = MappingReader(
                entry.value,
                what: "table '\(entry.name)'",
                Language.table,
                at: entry.key.mark,
                log: log
            )
        else { return nil }
        _ = reader.required("count", example: "10000")
        let columns = reader.named("columns", each: "a column").compactMap { decodeColumn($0) }
        guard let count: Int = reader.integer("count") else { return nil }
        let table = SchemaDataset.Table(name: entry.name, count: count, columns: columns)
        log.statementPositions.add(SchemaDataset.insertRow(of: table), at: entry.key.mark)
        return table
    }

    private func decodeColumn(
        _ entry: (name: String, key: Node, value: Node)
    ) -> SchemaDataset.Column? {
        if let word = entry.value.scalar?.string {
            guard word == Language.sequence else {
                log.add(
                    "column '\(entry.name)' must be sequence or a distribution such as "
                        + "{distribution: uniform, min: 1, max: 9}, not '\(word)'"
                        + (NearestName.of(word, among: [Language.sequence])
                            .map { "; did you mean '\($0)'?" } ?? ""),
                    at: entry.value.mark
                )
                return nil
            }
            return SchemaDataset.Column(
                name: entry.name,
                values: Variable(
                    distribution: .sequential,
                    minimum: 1,
                    maximum: Variable.largest
                )
            )
        }
        let variables = VariableReader(what: "column '\(entry.name)'", builtIns: [:], log: log)
        return variables.read(entry.value, at: entry.key.mark).map {
            SchemaDataset.Column(name: entry.name, values: $0.variable)
        }
    }

    /// Logs an error for each parameter of a statement that cannot have parameters.
    func checkNoParameters(_ statement: SQLReader.Statement, of what: String) {
        let template = StatementTemplate(sql: statement.sql)
        for parameter in template.parameters.map({ ":\($0)" }) + template.unsupportedParameters {
            log.add(
                "\(what) does not accept parameters, but has '\(parameter)' in '\(statement.sql)'",
                at: statement.mark
            )
        }
    }

    func decodeThresholds(
        _ top: MappingReader,
        metrics: MetricCatalog,
        clients: [Client]
    ) -> [Threshold] {
        guard let node = top["thresholds"],
            let reader = MappingReader(node, what: "'thresholds'", nil, log: log)
        else { return [] }
        return reader.all.flatMap { entry -> [Threshold] in
            guard metrics.metric(entry.name) != nil else {
                log.add(metrics.problem(with: entry.name), at: entry.key.mark)
                return []
            }
            if entry.value.sequence?.isEmpty == true {
                log.add(
                    "'\(entry.name)' of 'thresholds' must not be an empty list",
                    at: entry.value.mark
                )
            }
            let items = entry.value.sequence.map(Array.init) ?? [entry.value]
            return items.compactMap { item in
                let found = threshold(item, of: entry.name, reader: reader, metrics: metrics)
                if let found, let problem = found.problem(among: clients) {
                    log.add(problem, at: entry.key.mark)
                }
                return found
            }
        }
    }

    /// Decodes a limit, which is a string or a mapping with the string and an optional `abort`.
    private func threshold(
        _ item: Node,
        of metric: String,
        reader: MappingReader,
        metrics: MetricCatalog
    ) -> Threshold? {
        guard item.mapping != nil else {
            guard let text = reader.text(item, named: metric) else { return nil }
            return threshold(metric, text: text, at: item.mark, metrics: metrics)
        }
        let what = "a threshold on '\(metric)'"
        guard let mapping = MappingReader(item, what: what, Language.threshold, log: log),
            let limit = mapping.required("limit", example: "p(99) < 50ms"),
            let text = mapping.text(limit, named: "limit"),
            var found = threshold(metric, text: text, at: limit.mark, metrics: metrics)
        else { return nil }
        let aborts = mapping.bool("abort") ?? false
        let delay = mapping.duration("abort-after")
        if mapping.has("abort-after"), !aborts {
            mapping.add("'abort-after' of \(what) requires abort: true", atKey: "abort-after")
        }
        if let delay, aborts, delay >= measured {
            mapping.add(
                "'abort-after' of \(what) must be shorter than the measured time, "
                    + ReportUnits.seconds(measured.inSeconds),
                atValue: "abort-after"
            )
        }
        guard aborts else { return found }
        if let problem = found.abortProblem { log.add(problem, at: mapping.mark(of: "abort")) }
        found.abortDelay = delay ?? .zero
        return found
    }

    private func threshold(
        _ metric: String,
        text: String,
        at mark: Mark?,
        metrics: MetricCatalog
    ) -> Threshold? {
        do {
            return try Threshold(metric: metric, expression: text, in: metrics)
        } catch {
            log.add("\(error)", at: mark)
            return nil
        }
    }

    /// Decodes the primary metrics of a comparison, such as `ui.response.p99`.
    func decodePrimary(_ top: MappingReader, metrics: MetricCatalog) -> [String] {
        top.texts("primary").compactMap { text, mark in
            do {
                return try ComparisonMetric(text, in: metrics).name
            } catch {
                log.add("\(error)", at: mark)
                return nil
            }
        }
    }
}
