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

    func decodeArms(_ top: MappingReader) -> [Arm] {
        guard top.required("arms", example: "{pool: {type: pool, readers: 4}}") != nil else {
            return []
        }
        return top.named("arms", each: "an arm").compactMap { decodeArm($0) }
    }

    private func decodeArm(_ entry: (name: String, key: Node, value: Node)) -> Arm? {
        guard
            let reader = MappingReader(
                entry.value,
                what: "arm '\(entry.name)'",
                Language.arm,
                at: entry.key.mark,
                log: log
            )
        else { return nil }
        let driver = decodeDriver(reader)
        if reader.has("driver"), driver == nil { return nil }
        // libsqlite3 performs what a driver does not.
        let library: Arm.Library? = driver == nil ? reader.choice("library") : .raw
        if reader.has("library"), library == nil { return nil }
        guard let kind = decodeKind(reader, library: library ?? .engine) else { return nil }
        var arm = Arm(name: entry.name, kind: kind, library: library ?? .engine)
        arm.driver = driver
        arm.journal = decodeJournal(reader, of: arm)
        arm.readers = reader.integer("readers")
        if !arm.hasReaders, kind != .snapshotPool, reader.has("readers") {
            log.add(
                "'readers' requires type: pool; "
                    + (arm.library == .raw
                        ? "bare libsqlite3 has a connection for each worker"
                        : "a queue has one connection"),
                at: reader.mark(of: "readers")
            )
        }
        arm.synchronous = reader.word("synchronous")
        arm.begin = reader.choice("begin")
        if reader.has("begin"), arm.library == .grdb || kind == .snapshot || kind == .snapshotPool {
            reader.add(
                "'begin' requires library: raw, or library: engine with a queue, a pool, or a "
                    + "database in memory",
                atKey: "begin"
            )
        }
        decodeBusy(reader, into: &arm)
        arm.pragmas = decodePragmas(reader)
        if let node = reader["setup"] {
            let statements = SQLReader(what: "'setup' of \(reader.what)", log: log).statements(node)
            for statement in statements ?? [] { checkNoParameters(statement, of: "an arm's setup") }
            arm.setup = statements?.map(\.sql) ?? []
        }
        arm.file = reader["file"].flatMap { node in
            reader.text("file").flatMap { databasePath($0, at: node.mark) }
        }
        return arm
    }

    /// Decodes `driver: python`, `driver: {name: python, options: …}`, or `driver: {command: …}`.
    private func decodeDriver(_ reader: MappingReader) -> Arm.Driver? {
        guard let node = reader["driver"] else { return nil }
        guard node.mapping != nil else { return reader.word("driver").map { .init(builtIn: $0) } }
        guard let mapping = reader.mapping("driver"), let key = mapping.alternative() else {
            return nil
        }
        var driver: Arm.Driver
        if key == "name" {
            guard let name = mapping.word("name") else { return nil }
            driver = .init(builtIn: name)
        } else {
            var words = mapping.texts("command").map(\.text)
            if mapping["command"]?.sequence == nil {
                words = words.flatMap { $0.split(separator: " ").map(String.init) }
            }
            guard let program = words.first else { return nil }
            if program.contains("/") { words[0] = Self.path(program, relativeTo: log.file) }
            driver = .init(command: words)
        }
        for (name, _, value) in mapping.named("options", each: "an option") {
            driver.options[name] = mapping.text(value, named: name)
        }
        return driver
    }

    private func decodeKind(_ reader: MappingReader, library: Arm.Library) -> Arm.Kind? {
        if library == .raw, !reader.has("type") { return .pool }
        guard reader.required("type", example: "pool") != nil,
            let kind: Arm.Kind = reader.choice("type")
        else { return nil }
        if library == .raw, kind != .pool {
            log.add(
                "'type: \(kind.rawValue)' cannot be combined with library: raw, where each worker "
                    + "has a connection; remove 'type'",
                at: reader.mark(of: "type")
            )
        }
        return kind
    }

    private func decodeJournal(_ reader: MappingReader, of arm: Arm) -> Arm.Journal? {
        guard let journal: Arm.Journal = reader.choice("journal") else { return nil }
        if arm.kind == .pool, arm.library != .raw, journal != .wal {
            reader.add("a pool's journal is always wal; remove 'journal'", atValue: "journal")
        }
        if arm.kind == .snapshot || arm.kind == .snapshotPool, journal != .wal {
            reader.add("a snapshot's journal is always wal; remove 'journal'", atValue: "journal")
        }
        if arm.kind == .memory, journal != .memory, journal != .off {
            reader.add(
                "a memory arm's journal must be memory or off, not \(journal.rawValue)",
                atValue: "journal"
            )
        }
        return journal
    }

    private func decodePragmas(_ reader: MappingReader) -> [Arm.Pragma] {
        let armKeys = ["journal_mode": "journal", "synchronous": "synchronous"]
        return reader.named("pragmas", each: "a pragma").compactMap { entry in
            if let armKey = armKeys[entry.name] {
                log.add(
                    "the pragma '\(entry.name)' is not allowed; use the arm's key '\(armKey)'",
                    at: entry.key.mark
                )
            }
            guard let value = reader.text(entry.value, named: entry.name) else { return nil }
            guard MappingReader.isPragmaValue(value) else {
                log.add(
                    "'\(value)' is not a valid pragma value; write a number or a word",
                    at: entry.value.mark
                )
                return nil
            }
            return Arm.Pragma(name: entry.name, value: value)
        }
    }
}

extension MappingReader {
    /// Returns whether text is a number or a word, and therefore needs no quotes in SQL.
    fileprivate static func isPragmaValue(_ text: String) -> Bool {
        if Double(text) != nil { return true }
        return text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "_")
        }
    }
}
