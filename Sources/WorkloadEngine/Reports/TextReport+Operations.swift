import Telemetry
import Text

extension TextReport {
    static func operations(_ run: ArmResult) -> [String] {
        let rows = run.clients.sorted { $0.key < $1.key }.flatMap { name, client in
            let operations = client.operations ?? [:]
            guard operations.count > 1 else { return [(title: String, result: ClientResult)]() }
            return operations.sorted { $0.key < $1.key }.map { ("\(name) \($0.key)", $0.value) }
        }
        return rows.isEmpty ? [] : table("operation", rows)
    }

    static func phases(_ run: ArmResult, measured: Int) -> [String] {
        guard measured > 1 else { return [] }
        return table(
            "phase",
            run.clients.sorted { $0.key < $1.key }.flatMap { name, client in
                (client.phases ?? [:]).sorted { $0.key < $1.key }
                    .map { ("\(name) in \($0.key)", $0.value) }
            }
        )
    }

    private static func table(
        _ kind: String,
        _ rows: [(title: String, result: ClientResult)]
    ) -> [String] {
        let columns = LatencyColumns(LatencyColumns.brief, for: rows.map(\.result.response))
        var table = TextTable([kind, "completed", "rate"] + columns.titles + ["service p99"])
        for (title, result) in rows {
            table.add(
                [
                    title, HumanUnits.exact(result.completed),
                    result.throughput.map(ReportUnits.rate) ?? "–",
                ] + columns.cells(result.response) + [ReportUnits.time(result.service?.p99)]
            )
        }
        return table.lines(indent: "  ")
    }

    static func profiles(_ run: ArmResult) -> [String] {
        var table = TextTable([
            "SQLite, one execution", "rows", "VM steps", "scan steps", "sorts", "auto-indexed",
            "cache hits", "misses", "spills",
        ])
        var plans: [String] = []
        var isEmpty = true
        for (name, client) in run.clients.sorted(by: { $0.key < $1.key }) {
            for (operation, result) in (client.operations ?? [:]).sorted(by: { $0.key < $1.key }) {
                guard let profile = result.profile else { continue }
                let title = operation == name ? name : "\(name) \(operation)"
                if let counters = profile.counters {
                    isEmpty = false
                    table.add(
                        [title]
                            + [
                                counters.rows, counters.vmSteps, counters.fullScanSteps,
                                counters.sorts, counters.automaticIndexes, counters.cacheHits,
                                counters.cacheMisses, counters.cacheSpills,
                            ].map { HumanUnits.exact(UInt64(max(0, $0))) }
                    )
                }
                let notable = profile.plans.flatMap(\.lines).filter(isNotable)
                for line in Set(notable).sorted() {
                    plans.append("  \(title): \(line.drop { $0 == " " })")
                }
            }
        }
        return (isEmpty ? [] : table.lines(indent: "  ")) + plans
    }

    /// Returns whether a line of a query plan shows work that an index could avoid.
    private static func isNotable(_ line: String) -> Bool {
        line.contains("SCAN") && !line.contains("CONSTANT ROW") || line.contains("TEMP B-TREE")
            || line.contains("AUTOMATIC")
    }
}
