import Text
import Yams

extension ScenarioDecoder {
    func decodeThresholds(
        _ top: MappingReader,
        metrics: MetricCatalog,
        clients: [Client]
    ) -> [Threshold] {
        guard let node = top["thresholds"],
            let reader = MappingReader(node, what: "'thresholds'", nil, log: log)
        else { return [] }
        return reader.all.flatMap { entry -> [Threshold] in
            guard metrics.metric(entry.name) != nil else {
                log.add(metrics.problem(with: entry.name), at: entry.key.mark)
                return []
            }
            if entry.value.sequence?.isEmpty == true {
                log.add(
                    "'\(entry.name)' of 'thresholds' must not be an empty list",
                    at: entry.value.mark
                )
            }
            let items = entry.value.sequence.map(Array.init) ?? [entry.value]
            return items.compactMap { item in
                let found = threshold(item, of: entry.name, reader, metrics)
                if let found, let problem = found.problem(among: clients) {
                    log.add(problem, at: entry.key.mark)
                }
                return found
            }
        }
    }

    /// Decodes a limit, which is a string or a mapping with the string and an optional `abort`.
    private func threshold(
        _ item: Node,
        of metric: String,
        _ reader: MappingReader,
        _ metrics: MetricCatalog
    ) -> Threshold? {
        guard item.mapping != nil else {
            guard let text = reader.text(item, named: metric) else { return nil }
            return threshold(metric, text, at: item.mark, metrics)
        }
        let what = "a threshold on '\(metric)'"
        guard let mapping = MappingReader(item, what: what, Language.threshold, log: log),
            let limit = mapping.required("limit", example: "p(99) < 50ms"),
            let text = mapping.text(limit, named: "limit"),
            var found = threshold(metric, text, at: limit.mark, metrics)
        else { return nil }
        let aborts = mapping.bool("abort") ?? false
        let delay = mapping.duration("abort-after")
        if mapping.has("abort-after"), !aborts {
            mapping.add("'abort-after' of \(what) requires abort: true", atKey: "abort-after")
        }
        if let delay, aborts, delay >= measured {
            mapping.add(
                "'abort-after' of \(what) must be shorter than the measured time, "
                    + ReportUnits.seconds(measured.inSeconds),
                atValue: "abort-after"
            )
        }
        guard aborts else { return found }
        if let problem = found.abortProblem { log.add(problem, at: mapping.mark(of: "abort")) }
        found.abortDelay = delay ?? .zero
        return found
    }

    private func threshold(
        _ metric: String,
        _ text: String,
        at mark: Mark?,
        _ metrics: MetricCatalog
    ) -> Threshold? {
        do {
            return try Threshold(metric: metric, expression: text, in: metrics)
        } catch {
            log.add("\(error)", at: mark)
            return nil
        }
    }

    /// Decodes the primary metrics of a comparison, such as `ui.response.p99`.
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
