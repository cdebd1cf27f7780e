import Text
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
}
