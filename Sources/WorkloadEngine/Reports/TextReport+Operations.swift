import Telemetry

extension TextReport {
    /// The operations of clients that have several.
    static func operations(_ run: ArmResult) -> [String] {
        var table = TextTable([
            "operation", "completed", "rate", "p50", "p99", "max", "service p99",
        ])
        var isEmpty = true
        for (name, client) in run.clients.sorted(by: { $0.key < $1.key }) {
            guard let operations = client.operations, operations.count > 1 else { continue }
            isEmpty = false
            for (operation, result) in operations.sorted(by: { $0.key < $1.key }) {
                table.add(row("\(name) \(operation)", result))
            }
        }
        return isEmpty ? [] : table.lines(indent: "  ")
    }

    /// The clients by phase, if several phases are measured.
    static func phases(_ run: ArmResult, measured: Int) -> [String] {
        guard measured > 1 else { return [] }
        var table = TextTable(["phase", "completed", "rate", "p50", "p99", "max", "service p99"])
        for (name, client) in run.clients.sorted(by: { $0.key < $1.key }) {
            for (phase, result) in (client.phases ?? [:]).sorted(by: { $0.key < $1.key }) {
                table.add(row("\(name) in \(phase)", result))
            }
        }
        return table.lines(indent: "  ")
    }

    private static func row(_ title: String, _ result: ClientResult) -> [String] {
        [
            title, HumanUnits.count(result.completed),
            result.throughput.map(HumanUnits.rate) ?? "–",
            HumanUnits.time(result.response?.p50), HumanUnits.time(result.response?.p99),
            HumanUnits.time(result.response?.max), HumanUnits.time(result.service?.p99),
        ]
    }

    /// SQLite's counters for one execution of each operation, and notable query plans.
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
                            ].map { HumanUnits.count(UInt64(max(0, $0))) }
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

    /// Whether a line of a plan shows work that an index would avoid.
    private static func isNotable(_ line: String) -> Bool {
        line.contains("SCAN") && !line.contains("CONSTANT ROW") || line.contains("TEMP B-TREE")
            || line.contains("AUTOMATIC")
    }
}
