import Telemetry
import Text

extension TextReport {
    static func blame(_ run: ArmResult) -> [String] {
        guard let blame = run.blame, !blame.isEmpty else { return [] }
        var lines = ["  what the slow accesses waited for"]
        for (client, result) in blame.sorted(by: { $0.key < $1.key }) {
            lines += sentences(client, blame: result).map { "    " + $0 }
        }
        return lines
    }

    /// The share of the response time that waits must reach for the report to explain them.
    private static let notableShare = 0.1

    /// Returns sentences such as `ui: p99 is 48.0 ms; the 10 slowest took 50.0 ms on average …`.
    static func sentences(_ client: String, blame: BlameResult) -> [String] {
        let waiting = blame.queued + blame.waited
        let share = Double(waiting) / Double(max(1, blame.response))
        // Explain why a percentile other than p99 is shown.
        let title =
            switch blame.beyond {
            case "max": "the slowest access (too few accesses for a percentile) took"
            case "p99": "p99 is"
            default: "\(blame.beyond) (too few accesses for p99) is"
            }
        let head = "\(client): \(title) \(ReportUnits.time(blame.from))"
        guard share >= notableShare else {
            return [
                "\(head), \(ReportUnits.percent(1 - share)) of it inside the access, not waiting"
            ]
        }
        var parts: [String] = []
        if blame.waited > 0 {
            parts.append(
                "\(ReportUnits.time(blame.waited)) waiting for \(name(of: blame.resource))"
            )
        }
        if blame.queued > 0 {
            parts.append(
                "\(ReportUnits.time(blame.queued)) of lag, waiting for a worker of '\(client)'"
            )
        }
        let whole =
            blame.accesses == 1
            ? "it spent "
            : "the \(HumanUnits.exact(UInt64(clamping: blame.accesses))) slowest took "
                + "\(ReportUnits.time(blame.response)) on average and spent "
        var lines = ["\(head); " + whole + parts.joined(separator: " and ")]
        if let holders = holders(client, blame: blame) { lines.append("  " + holders) }
        return lines
    }

    /// Returns text such as `meanwhile, 'report' held 3.9 of 4 readers (up to 10.3 s at a time)`.
    private static func holders(_ client: String, blame: BlameResult) -> String? {
        guard let resource = blame.resource else { return nil }
        let isCounted = resource == .reader
        let counts = HeldConnections.texts(blame.holders.map(\.held), of: blame.capacity)
        let known = blame.holders.prefix(4).enumerated().map { index, holder in
            let name = holder.client == client ? "'\(client)' itself" : "'\(holder.client)'"
            var text = isCounted ? counts[index] : ReportUnits.percent(holder.held)
            if index == 0 {
                let readers = blame.capacity.map { " of \($0) reader" + ($0 == 1 ? "" : "s") }
                text =
                    isCounted
                    ? "held \(text)" + (readers ?? " readers")
                    : "held \(Self.name(of: resource)) \(text) of the time"
            }
            let longest = ReportUnits.time(holder.longest)
            return "\(name) \(text) (up to \(longest)" + (index == 0 ? " at a time)" : ")")
        }
        guard !known.isEmpty else {
            return "no client in this run held \(name(of: resource)) during that time: another "
                + "process did, or the transaction started slowly"
        }
        return "meanwhile, " + known.joined(separator: ", ")
    }

    private static func name(of resource: AccessResource?) -> String {
        switch resource {
        case .reader?: "a reader"
        case .writer?: "the writer"
        case .connection?: "the connection"
        case nil: "its transaction to start"
        }
    }
}
