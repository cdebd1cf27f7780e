import Units
import Yams

extension ScenarioDecoder {
    static let clientKeys = Language.client.names
    /// The client names that are reserved for metrics and for the user of the dashboard.
    static let reservedClientNames =
        MetricCatalog.databaseGroups + ["generator", "you"]

    func decodeClients(_ top: MappingReader) -> [Client] {
        guard
            top.required("clients", example: "{ui: {access: read, use: select-only}}") != nil
        else { return [] }
        return top.named("clients", each: "a client").map { entry in
            if Self.reservedClientNames.contains(entry.name) {
                log.add("the name '\(entry.name)' is reserved; choose another", at: entry.key.mark)
            }
            // Keep a client with errors, because thresholds may refer to it.
            return decodeClient(entry) ?? Client(name: entry.name, activity: .interrupt)
        }
    }

    private func decodeClient(_ entry: (name: String, key: Node, value: Node)) -> Client? {
        guard
            let reader = MappingReader(
                entry.value,
                what: "client '\(entry.name)'",
                Language.client,
                at: entry.key.mark,
                log: log
            ),
            let activity = decodeActivity(entry.name, reader)
        else { return nil }
        var client = Client(name: entry.name, activity: activity)
        client.style =
            reader.word("style", of: Client.Style.allCases.map(\.rawValue))
            .flatMap(Client.Style.init(rawValue:)) ?? .sync
        checkStyle(of: client, reader)
        client.workers = reader.integer("workers", in: 1...1000) ?? 1
        client.pace = decodePace(reader) ?? client.pace
        client.busyRetries = decodeRetry(reader)
        client.phases = decodePhaseNames(reader)
        client.interruptAfter = reader.positiveDuration("interrupt-after")
        client.cancelAfter = reader.positiveDuration("cancel-after")
        client.supersedes = reader.bool("supersede") ?? false
        client.thenRead = decodeReads(after: client, reader)
        checkInterruption(of: client, reader)
        TimeFit(measured: measured).check(client) { key, problem in
            log.add("'\(key)' of \(reader.what) \(problem)", at: reader[key]?.mark)
        }
        return client
    }

    private func decodeActivity(_ name: String, _ reader: MappingReader) -> Client.Activity? {
        if reader.has("action") {
            return decodeAction(reader)
        }
        reject(["client", "connection", "mode", "pages"], combinedWith: "'access'", reader)
        guard reader.required("access", example: "read") != nil,
            let access = reader.word("access", of: ["read", "write", "snapshot"])
        else { return nil }
        if access == "snapshot" {
            reject(
                ["use", "mix", "rows", "batch", "arrival", "retry"],
                combinedWith: "access: snapshot",
                reader
            )
            guard reader.required("hold", example: "10s") != nil, let hold = hold(reader) else {
                return nil
            }
            return .snapshot(hold, sql: singleStatement(reader) ?? dataset.snapshotQuery)
        }
        if reader.has("rows") || reader.has("batch") {
            return decodeImport(reader, access: access)
        }
        if reader.has("hold") {
            reject(["use", "mix"], combinedWith: "'hold'", reader)
            if access != "read" {
                log.add(
                    "'hold' requires access: read or snapshot, not \(access)",
                    at: reader.mark(of: "hold")
                )
            }
            let statement = singleStatement(reader)
            if let statement { checkReads(statement, reader) }
            return hold(reader).map { .hold($0, sql: statement) }
        }
        let workload: WorkloadAccess = access == "read" ? .read : .write
        let mix = decodeMix(name, reader, access: workload)
        return mix.isEmpty ? nil : .operations(workload, mix: mix)
    }

    private func decodeImport(_ reader: MappingReader, access: String) -> Client.Activity? {
        reject(["mix", "hold"], combinedWith: "'rows'", reader)
        if access != "write" {
            log.add("'rows' requires access: write", at: reader.mark(of: "rows"))
        }
        guard reader.required("rows", example: "50000") != nil,
            let rows = reader.integer("rows", in: 1...Int.max)
        else { return nil }
        let batch = reader.integer("batch", in: 1...Int.max) ?? min(rows, 1000)
        let statements = decodeStatements(reader)
        if let statements, statements.count > 1 {
            log.add(
                "an import has one statement, which runs for each row, not \(statements.count)",
                at: reader["sql"]?.mark ?? reader["use"]?.mark
            )
        }
        guard let statement = statements?.first ?? dataset.importStatement else {
            if statements == nil, !reader.has("sql"), !reader.has("use") {
                log.add(
                    "\(reader.what) requires 'sql' to import into this dataset",
                    at: reader.mark
                )
            }
            return nil
        }
        return .importRows(count: rows, batch: batch, statement: statement)
    }

    private func decodeReads(after client: Client, _ reader: MappingReader) -> [String] {
        guard let node = reader["then-read"] else { return [] }
        guard case .operations(.write, _) = client.activity, client.style == .sync else {
            log.add(
                "'then-read' requires access: write, 'sql', 'use' or a 'mix', and style: sync",
                at: reader.mark(of: "then-read")
            )
            return []
        }
        reject(
            ["interrupt-after", "cancel-after", "supersede"],
            combinedWith: "'then-read'",
            reader
        )
        let what = "'then-read' of \(reader.what)"
        guard let list = SQLReader(what: what, log: log).statements(node) else { return [] }
        checkParameters(of: list)
        for statement in list { checkReads(statement.sql, reader, at: statement.mark) }
        return list.map(\.sql)
    }

    /// Logs an error for each key that is present and cannot be combined with another key.
    func reject(_ keys: [String], combinedWith other: String, _ reader: MappingReader) {
        for key in keys where reader.has(key) {
            log.add("'\(key)' cannot be combined with \(other)", at: reader.mark(of: key))
        }
    }

    private func hold(_ reader: MappingReader) -> TimeSpan? {
        guard let span = reader.quantity("hold", Quantity.span) else { return nil }
        if span.resolved(in: .seconds(1)) > .zero { return span }
        log.add("'hold' of \(reader.what) must be longer than 0", at: reader["hold"]?.mark)
        return nil
    }

    private func decodePhaseNames(_ reader: MappingReader) -> [String] {
        reader.texts("phases").compactMap { name, mark in
            if phaseNames.contains(name) { return name }
            log.add(
                "unknown phase '\(name)' in 'phases' of \(reader.what)"
                    + NearestName.hint(name, among: phaseNames),
                at: mark
            )
            return nil
        }
    }

    private func decodeRetry(_ reader: MappingReader) -> Int {
        guard let node = reader["retry"],
            let retry = MappingReader(
                node,
                what: "'retry' of \(reader.what)",
                Language.retry,
                log: log
            )
        else { return 0 }
        return retry.integer("busy", in: 0...1_000_000) ?? 0
    }
}
