import Text
import Yams

extension ScenarioDecoder {
    /// The client names that are reserved for metrics and for the user of the dashboard.
    static let reservedClientNames =
        MetricCatalog.databaseGroups + ["generator", "you"]

    func decodeClients(_ top: MappingReader) -> [Client] {
        guard
            top.required("clients", example: "{ui: {access: read, use: select-only}}") != nil
        else { return [] }
        let clients = top.named("clients", each: "a client").map { entry in
            if Self.reservedClientNames.contains(entry.name) {
                log.add("the name '\(entry.name)' is reserved; choose another", at: entry.key.mark)
            }
            // Keep a client with errors, because thresholds may refer to it.
            return decodeClient(entry) ?? Client(name: entry.name, activity: .interrupt)
        }
        return clients.map { client in
            guard let owner = clients.first(where: { $0.name == client.workersOf }) else {
                return client
            }
            let node = top["clients"]?.mapping?[client.name]?.mapping?["workers-of"]
            if owner.workersOf != nil {
                log.add(
                    "client '\(owner.name)' has no workers of its own; specify "
                        + (owner.name == client.name
                            ? "another client" : "the client that it uses"),
                    at: node?.mark
                )
            } else if !client.canTakeTurns || !owner.canTakeTurns {
                log.add(
                    "'workers-of' requires two clients that run 'sql', 'use', or a 'mix' with style: sync "
                        + "and without supersede",
                    at: node?.mark
                )
            }
            var client = client
            client.workers = owner.workers
            return client
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
            let activity = decodeActivity(entry.name, reader: reader)
        else { return nil }
        var client = Client(name: entry.name, activity: activity)
        client.style = reader.choice("style") ?? .sync
        checkStyle(of: client, reader)
        client.workers = reader.integer("workers") ?? 1
        client.workersOf = otherClient(at: "workers-of", in: reader)
        client.pace = decodePace(reader) ?? client.pace
        client.busyRetries = decodeRetry(reader)
        client.phases = decodePhaseNames(reader)
        client.interruptAfter = reader.duration("interrupt-after")
        client.cancelAfter = reader.duration("cancel-after")
        client.supersedes = reader.bool("supersede") ?? false
        client.thenRead = decodeReads(after: client, reader)
        checkInterruption(of: client, reader)
        MeasuredTimeCheck(measured: measured).check(client) { key, problem in
            reader.add("'\(key)' of \(reader.what) \(problem)", atValue: key)
        }
        return client
    }

    private func decodeActivity(_ name: String, reader: MappingReader) -> Client.Activity? {
        if reader.has("action") {
            return decodeAction(reader)
        }
        guard reader.required("access", example: "read") != nil,
            let access = reader.word("access")
        else { return nil }
        if access == "snapshot" {
            guard reader.required("hold", example: "10s") != nil,
                let hold = reader.span("hold")
            else {
                return nil
            }
            return .snapshot(hold, sql: singleStatement(reader) ?? dataset.snapshotQuery)
        }
        if reader.has("rows") || reader.has("batch") {
            return decodeImport(reader, access: access)
        }
        if reader.has("hold") {
            if access != "read" {
                reader.add("'hold' requires access: read or snapshot, not \(access)", atKey: "hold")
            }
            let statement = singleStatement(reader)
            if let statement, access == "read" { checkReads(statement, reader: reader) }
            return reader.span("hold").map { .hold($0, sql: statement) }
        }
        let workload: WorkloadAccess = access == "read" ? .read : .write
        let mix = decodeMix(name, reader: reader, access: workload)
        return mix.isEmpty ? nil : .operations(workload, mix: mix)
    }

    private func decodeImport(_ reader: MappingReader, access: String) -> Client.Activity? {
        if access != "write" {
            reader.add("'rows' requires access: write", atKey: "rows")
        }
        guard reader.required("rows", example: "50000") != nil,
            let rows = reader.integer("rows") as Int?
        else { return nil }
        let batch = reader.integer("batch") ?? min(rows, 1000)
        let statements = decodeStatements(reader)
        if let statements, statements.count > 1 {
            log.add(
                "an import must have one statement, not \(statements.count); it runs for each row",
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
            reader.add(
                "'then-read' requires access: write, style: sync, and 'sql', 'use', or 'mix'",
                atKey: "then-read"
            )
            return []
        }
        let what = "'then-read' of \(reader.what)"
        guard let list = SQLReader(what: what, log: log).statements(node) else { return [] }
        checkParameters(of: list)
        for statement in list { checkReads(statement.sql, reader: reader, at: statement.mark) }
        return list.map(\.sql)
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
        reader.mapping("retry")?.integer("busy") ?? 0
    }

    private func checkStyle(of client: Client, _ reader: MappingReader) {
        let isSupported =
            switch (client.style, client.activity) {
            case (.sync, _), (_, .operations): true
            case (.process, .hold), (.process, .importRows): true
            case (.async, _), (.process, _): false
            }
        if client.style == .async, case .operations(_, let mix) = client.activity,
            mix.contains(where: { $0.steps.contains(where: \.pauses) })
        {
            reader.add(
                "'pause' requires style: sync or process, because a pause would block a task's thread",
                atKey: "style"
            )
        }
        if isSupported { return }
        reader.add(
            "'style: \(client.style.rawValue)' requires a client that runs 'sql', 'use', or a "
                + "'mix'",
            atKey: "style"
        )
    }

    private func checkInterruption(of client: Client, _ reader: MappingReader) {
        if client.style != .async, reader.has("cancel-after") {
            reader.add(
                "'cancel-after' requires style: async; other styles use interrupt-after",
                atKey: "cancel-after"
            )
        }
        if client.style == .async, reader.has("interrupt-after") {
            reader.add(
                "'interrupt-after' cannot be combined with style: async, which uses cancel-after",
                atKey: "interrupt-after"
            )
        }
        if case .operations = client.activity, client.style != .process { return }
        for key in ["interrupt-after", "supersede"] where reader.has(key) {
            reader.add(
                "'\(key)' requires a client that runs 'sql', 'use', or a 'mix' in this process",
                atKey: key
            )
        }
    }
}
