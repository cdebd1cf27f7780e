import Text
import Yams

extension ScenarioDecoder {
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
