import Yams

extension ScenarioDecoder {
    func decodeThresholds(_ top: MappingReader, metrics: MetricCatalog) -> [Threshold] {
        guard let node = top["thresholds"],
            let reader = MappingReader(node, what: "'thresholds'", nil, log: log)
        else { return [] }
        return reader.all.flatMap { entry -> [Threshold] in
            guard metrics.metric(entry.name) != nil else {
                log.add(metrics.problem(with: entry.name), at: entry.key.mark)
                return []
            }
            return reader.texts(entry.value, named: entry.name).compactMap { text, mark in
                do {
                    return try Threshold(metric: entry.name, expression: text, in: metrics)
                } catch {
                    log.add("\(error)", at: mark)
                    return nil
                }
            }
        }
    }

    /// Metrics for a comparison: `ui.response.p99`, `pay.throughput`.
    func decodePrimary(_ top: MappingReader, metrics: MetricCatalog) -> [String] {
        top.texts("primary").compactMap { text, mark in
            let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
            let name = parts.prefix(2).joined(separator: ".")
            guard let metric = metrics.metric(name) else {
                log.add(metrics.problem(with: name), at: mark)
                return nil
            }
            let known = metric.aggregates.keys.map(Self.plainName).sorted()
            if parts.count == 3, known.contains(String(parts[2])) { return text }
            // A metric of which one thing can be taken needs no third part.
            if parts.count == 2, known.count == 1 { return text }
            let last = parts.count == 3 ? String(parts[2]) : ""
            log.add(
                last.isEmpty
                    ? "'\(text)' needs a third part: \(known.joined(separator: ", "))"
                    : "'\(last)' cannot be taken of '\(name)'"
                        + NearestName.hint(last, among: known),
                at: mark
            )
            return nil
        }
    }

    /// `p(99)` as results call it: `p99`.
    private static func plainName(_ aggregate: String) -> String {
        aggregate.filter { $0 != "(" && $0 != ")" }
    }
}
