import Units
import Yams

extension ScenarioDecoder {
    private static let actionKeys = [
        "interrupt": ["client", "connection"],
        "cancel": ["client"],
        "checkpoint": ["mode", "think", "workers"],
        "backup": ["pages", "think", "workers"],
    ]

    func decodeAction(_ reader: MappingReader) -> Client.Activity? {
        let words = Self.actionKeys.keys.sorted()
        guard let word = reader.word("action", of: words), let keys = Self.actionKeys[word] else {
            return nil
        }
        let known = ["action", "every", "at", "phases"] + keys
        reject(
            Self.clientKeys.filter { !known.contains($0) },
            combinedWith: "action: \(word)",
            reader
        )
        if !["every", "at", "think"].contains(where: reader.has) {
            log.add("\(reader.what) requires 'every' or 'at', such as every: 10%", at: reader.mark)
        }
        switch word {
        case "checkpoint":
            let modes = CheckpointMode.allCases.map(\.rawValue)
            let mode = reader.word("mode", of: modes).flatMap(CheckpointMode.init(rawValue:))
            return .action(.checkpoint(mode ?? .passive))
        case "backup":
            return .action(.backup(pagesPerStep: reader.integer("pages", in: 1...1_000_000) ?? 100))
        case "cancel":
            guard reader.required("client", example: "search") != nil else { return nil }
            return interruptedClient(reader).map { .action(.interrupt(client: $0)) }
        default:
            if reader.has("client"), reader.has("connection") {
                log.add(
                    "'connection' cannot be combined with 'client'",
                    at: reader.mark(of: "connection")
                )
            }
            if reader.has("client") {
                return interruptedClient(reader).map { .action(.interrupt(client: $0)) }
            }
            return reader.text("connection").map { .action(.interruptConnection($0)) }
                ?? .interrupt
        }
    }

    private func interruptedClient(_ reader: MappingReader) -> String? {
        guard let node = reader["client"], let name = reader.text("client") else { return nil }
        if clientNames.contains(name) { return name }
        log.add(
            "unknown client '\(name)' in \(reader.what)"
                + NearestName.hint(name, among: clientNames),
            at: node.mark
        )
        return nil
    }

    func checkStyle(of client: Client, _ reader: MappingReader) {
        let isSupported =
            switch (client.style, client.activity) {
            case (.sync, _), (_, .operations): true
            case (.process, .hold), (.process, .importRows): true
            case (.async, _), (.process, _): false
            }
        if client.style == .async, case .operations(_, let mix) = client.activity,
            mix.contains(where: { $0.steps.contains(where: \.pauses) })
        {
            log.add(
                "'pause' requires style: sync or process, because a pause would block a task's thread",
                at: reader.mark(of: "style")
            )
        }
        if isSupported { return }
        log.add(
            "'style: \(client.style.rawValue)' requires a client that runs 'sql', 'use' or a 'mix'",
            at: reader.mark(of: "style")
        )
    }

    func checkInterruption(of client: Client, _ reader: MappingReader) {
        if client.style != .async, reader.has("cancel-after") {
            log.add(
                "'cancel-after' requires style: async; other styles use interrupt-after",
                at: reader.mark(of: "cancel-after")
            )
        }
        if client.style == .async, reader.has("interrupt-after") {
            log.add(
                "'interrupt-after' cannot be combined with style: async, which uses cancel-after",
                at: reader.mark(of: "interrupt-after")
            )
        }
        if case .operations = client.activity, client.style != .process { return }
        for key in ["interrupt-after", "supersede"] where reader.has(key) {
            log.add(
                "'\(key)' requires a client that runs 'sql', 'use' or a 'mix' in this process",
                at: reader.mark(of: key)
            )
        }
    }
}
