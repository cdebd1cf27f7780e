import Units
import Yams

extension ScenarioDecoder {
    func decodeAction(_ reader: MappingReader) -> Client.Activity? {
        guard let word = reader.word("action") else { return nil }
        if !["every", "at", "think"].contains(where: reader.has) {
            log.add("\(reader.what) requires 'every' or 'at', such as every: 10%", at: reader.mark)
        }
        switch word {
        case "checkpoint":
            return .action(.checkpoint(reader.choice("mode") ?? .passive))
        case "backup":
            return .action(.backup(pagesPerStep: reader.integer("pages") ?? 100))
        case "cancel":
            guard reader.required("client", example: "search") != nil else { return nil }
            return interruptedClient(reader).map { .action(.interrupt(client: $0)) }
        default:
            _ = reader.only(of: ["client", "connection"])
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

    func checkInterruption(of client: Client, _ reader: MappingReader) {
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
