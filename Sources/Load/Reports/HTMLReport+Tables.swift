import Scenarios
import Telemetry
import Text
import WorkloadEngine

extension HTMLReport {
    static func blame(_ run: ArmResult) -> [Markup] {
        guard let blame = run.blame, !blame.isEmpty else { return [] }
        let sorted = blame.sorted { $0.key < $1.key }
        var table = HTMLTable(
            "What the slow accesses waited for, on average",
            columns: [
                "client", "resource", "slow", "at or above", "accesses", "response",
                "waited for a worker",
                "waited", "inside",
            ],
            textColumnCount: 2
        )
        var holders = HTMLTable(
            "Clients that held the resource during the waits",
            columns: ["client", "held by", "on average", "longest hold"],
            textColumnCount: 2
        )
        var slowest = HTMLTable(
            "The slowest accesses",
            columns: [
                "client", "operation", "held by", "at", "response", "waited for a worker",
                "waited", "inside",
            ],
            textColumnCount: 3
        )
        for (client, result) in sorted {
            table.add([
                client, result.resource?.rawValue ?? "–", result.beyond,
                ReportUnits.time(result.from), HumanUnits.exact(UInt64(max(0, result.accesses))),
                ReportUnits.time(result.response), ReportUnits.time(result.queued),
                ReportUnits.time(result.waited), ReportUnits.time(result.service),
            ])
            let counts = HeldConnections.texts(result.holders.map(\.held), of: result.capacity)
            for (holder, count) in zip(result.holders, counts) {
                holders.add([
                    client, holder.client == client ? "\(client) itself" : holder.client,
                    count, ReportUnits.time(holder.longest),
                ])
            }
            for access in result.slowest {
                let shares = access.held.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                let texts = HeldConnections.texts(shares.map(\.value), of: result.capacity)
                let held = zip(shares, texts).map { "\($0.key) \($1)" }
                slowest.add([
                    client, access.operation, held.isEmpty ? "–" : held.joined(separator: ", "),
                    ReportUnits.seconds(access.time), ReportUnits.time(access.response),
                    ReportUnits.time(access.queued), ReportUnits.time(access.waited),
                    ReportUnits.time(access.service),
                ])
            }
        }
        return [
            .list(
                sorted.map { client, result in
                    result.sentences(of: client).map { String($0.drop { $0 == " " }) }
                        .joined(separator: "; ") + "."
                }
            ),
            table.markup, holders.markup, slowest.markup,
        ]
    }

    static func connections(_ run: ArmResult) -> Markup {
        guard let pool = run.pool else { return .empty }
        var facts: [String] = []
        if let maximum = pool.maximumReaderCount {
            facts.append(
                "At most \(pool.readersPeak ?? 0) of \(HumanUnits.counted(maximum, "reader")) "
                    + (maximum == 1 ? "was" : "were") + " in use."
            )
        }
        if let share = pool.utilization {
            facts.append("On average, \(ReportUnits.percent(share)) of the readers were in use.")
        }
        if let share = pool.saturation {
            facts.append(
                "For \(ReportUnits.percent(share)) of the time, all were in use and accesses waited."
            )
        }
        facts.append(
            pool.peaksAreSampled == true
                ? "Ten samples per second showed at most "
                    + HumanUnits.counted(pool.waitingReadersPeak, "access", "accesses") + " that "
                    + "waited to read, and \(pool.waitingWritersPeak) to write."
                : "At most "
                    + HumanUnits.counted(pool.waitingReadersPeak, "access", "accesses")
                    + " waited to read, and "
                    + "\(pool.waitingWritersPeak) to write, at the same time."
        )
        let kind = pool.maximumReaderCount == nil ? "connection" : "reader"
        let rows: [(String, Double?, LatencySummary?)] = [
            ("wait for a \(kind)", pool.acquiredAtOnce, pool.acquire),
            ("\(kind) hold time", nil, pool.hold),
            ("wait for the writer", pool.writerAcquiredAtOnce, pool.writerAcquire),
            ("writer hold time", nil, pool.writerHold),
        ]
        let columns = LatencyColumns(for: rows.map(\.2))
        var table = HTMLTable(
            "Waits for connections and hold times",
            columns: ["", "found free"] + columns.titles
        )
        for case (let title, let free, let summary?) in rows {
            table.add([title, free.map(ReportUnits.percent) ?? "–"] + columns.cells(summary))
        }
        return .group([.list(facts), table.markup])
    }

    static func numbers(_ run: ArmResult) -> [Markup] {
        var counts = HTMLTable(
            "Accesses by client, operation, and phase",
            columns: ["client", "part"] + ClientMetrics.columnTitles,
            textColumnCount: 2
        )
        let columns = LatencyColumns(
            for: run.clients.values.flatMap(parts).flatMap { _, result in
                ClientMetrics.summaries(result).map(\.summary)
            }
        )
        var latencies = HTMLTable(
            "Latencies",
            columns: ["client", "part", "measure"] + columns.titles + ["accesses"],
            textColumnCount: 3
        )
        var errors: [String] = []
        for (name, client) in clients(run) {
            for (part, result) in parts(client) {
                counts.add([name, part] + ClientMetrics.cells(result))
                for (measure, summary) in ClientMetrics.summaries(result) {
                    latencies.add(
                        [name, part, measure] + columns.cells(summary)
                            + [HumanUnits.exact(summary.count)]
                    )
                }
            }
            errors += client.errorLines.map { "\(name): \($0)" }
            if let caveat = client.caveat { errors.append("\(name): \(caveat).") }
        }
        return [
            counts.markup, latencies.markup, errors.isEmpty ? .empty : .list(errors),
        ] + profiles(run)
    }

    private static func parts(_ client: ClientResult) -> [(String, ClientResult)] {
        var parts = [("all", client)]
        if let operations = client.operations, operations.count > 1 {
            parts += operations.sorted { $0.key < $1.key }.map { ("operation \($0.key)", $0.value) }
        }
        if let phases = client.phases, phases.count > 1 {
            parts += phases.sorted { $0.key < $1.key }.map { ("phase \($0.key)", $0.value) }
        }
        return parts
    }

    private static func profiles(_ run: ArmResult) -> [Markup] {
        var table = HTMLTable(
            "SQLite counters for one execution",
            columns: [
                "client", "operation", "rows", "full-scan steps", "sorts", "automatic indexes",
                "VM steps", "cache hits", "cache misses", "spills",
            ],
            textColumnCount: 2
        )
        var plans = HTMLTable(
            "Query plans",
            columns: ["client", "operation", "statement", "plan"],
            textColumnCount: 4
        )
        for (name, client) in clients(run) {
            for (operation, result) in (client.operations ?? [:]).sorted(by: { $0.key < $1.key }) {
                guard let profile = result.profile else { continue }
                for plan in profile.plans where !plan.lines.isEmpty {
                    plans.add([name, operation, plan.sql, plan.lines.joined(separator: "; ")])
                }
                guard let counters = profile.counters else { continue }
                table.add(
                    [name, operation]
                        + [
                            counters.rows, counters.fullScanSteps, counters.sorts,
                            counters.automaticIndexes, counters.vmSteps, counters.cacheHits,
                            counters.cacheMisses, counters.cacheSpills,
                        ].map { HumanUnits.exact(UInt64(max(0, $0))) }
                )
            }
        }
        return [table.markup, plans.markup]
    }

    static func checks(_ run: ArmResult) -> [Markup] {
        let lines = TextReport.checks(run).map { String($0.drop { $0 == " " }) }
        return lines.isEmpty ? [] : [.list(lines)]
    }

    static func environment(_ host: HostEnvironment, seed: UInt64) -> Markup {
        var facts: [(String, String)] = [
            ("operating system", host.operatingSystem),
            ("architecture", host.architecture),
            ("processors", String(host.cpuCount)),
        ]
        facts += host.versions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        if let fileSystem = host.fileSystem { facts.append(("file system", fileSystem)) }
        if let sync = host.syncNanoseconds { facts.append(("sync time", ReportUnits.time(sync))) }
        facts.append(("seed", String(seed)))
        return definitions(facts)
    }

    static func definitions(_ facts: [(String, String)]) -> Markup {
        .element(
            "dl",
            [:],
            facts.flatMap { term, meaning in
                [
                    Markup.element("dt", [:], .text(term)),
                    Markup.element("dd", [:], .text(meaning)),
                ]
            }
        )
    }
}
