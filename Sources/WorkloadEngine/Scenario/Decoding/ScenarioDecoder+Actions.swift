import Yams

extension ScenarioDecoder {
    /// The keys that go with each action.
    private static let actionKeys = [
        "interrupt": ["client", "connection"],
        "checkpoint": ["mode", "think", "workers"],
        "backup": ["pages", "think", "workers"],
    ]

    /// What a client does that makes no accesses of its own.
    func decodeAction(_ reader: MappingReader) -> Client.Activity? {
        let words = Self.actionKeys.keys.sorted()
        guard let word = reader.word("action", of: words), let own = Self.actionKeys[word] else {
            return nil
        }
        let known = ["action", "every", "at", "phases"] + own
        refuse(Self.clientKeys.filter { !known.contains($0) }, beside: "action: \(word)", reader)
        if !["every", "at", "think"].contains(where: reader.has) {
            log.add("\(reader.what) needs 'every' or 'at', such as every: 10%", at: reader.mark)
        }
        switch word {
        case "checkpoint":
            let modes = CheckpointMode.allCases.map(\.rawValue)
            let mode = reader.word("mode", of: modes).flatMap(CheckpointMode.init(rawValue:))
            return .action(.checkpoint(mode ?? .passive))
        case "backup":
            return .action(.backup(pagesPerStep: reader.integer("pages", in: 1...1_000_000) ?? 100))
        default:
            if reader.has("client"), reader.has("connection") {
                log.add("'connection' does not go with 'client'", at: reader.mark(of: "connection"))
            }
            if let node = reader["client"], let name = reader.text("client") {
                guard clientNames.contains(name) else {
                    log.add(
                        "unknown client '\(name)' in \(reader.what)"
                            + NearestName.hint(name, among: clientNames),
                        at: node.mark
                    )
                    return nil
                }
                return .action(.interrupt(client: name))
            }
            return reader.text("connection").map { .action(.interruptConnection($0)) }
                ?? .interrupt
        }
    }

    /// Logs keys about interrupts beside a client whose accesses cannot be told apart.
    func checkInterruption(of client: Client, _ reader: MappingReader) {
        if case .operations = client.activity { return }
        for key in ["interrupt-after", "supersede"] where reader.has(key) {
            log.add(
                "'\(key)' goes with a client that runs 'sql', 'use' or a 'mix'",
                at: reader.mark(of: key)
            )
        }
    }
}
