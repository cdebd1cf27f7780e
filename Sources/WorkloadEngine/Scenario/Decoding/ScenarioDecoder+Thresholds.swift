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

    /// Decodes metrics for a comparison: `ui.response.p99`, `pay.throughput`.
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
