import Text

extension ClientResult {
    var errorLines: [String] {
        errors.sorted { $0.key < $1.key }.map { code, count in
            let message = errorMessages?[code].map { ": \($0)" } ?? ""
            return "\(HumanUnits.exact(count)) × \(code)\(message)"
        }
    }
}

extension ArmResult {
    /// The maximum share of a client's accesses that may fail if no threshold limits the client's
    /// errors, from 0 to 1.
    public static let errorShareLimit = 0.05

    /// Returns the reasons a complete run failed, with one sentence for each failed client.
    ///
    /// A client fails if it has too many errors or no successful accesses. A threshold on a
    /// client's `errors` replaces the default limit on errors. A client without successful
    /// accesses passes only if a rate threshold allows 100%.
    func clientFailures(for thresholds: [Threshold], judgesUnfinished: Bool) -> [String] {
        let judged = Set(thresholds.map(\.metric))
        let unlimited = Set(
            thresholds.filter { $0.aggregate == "rate" && $0.limit >= 1 }.map(\.metric)
        )
        return clients.sorted { $0.key < $1.key }.compactMap { name, client in
            guard client.offered > 0 else { return nil }
            let isJudged = judged.contains("\(name).errors")
            let isUnfinished = client.unfinished == client.offered
            let mayFailAlways = unlimited.contains("\(name).errors") && client.errorCount > 0
            if client.completed == 0, !mayFailAlways, judgesUnfinished || !isUnfinished {
                return "none of the \(HumanUnits.exact(client.offered)) accesses of \(name) "
                    + "succeeded" + outcomes(of: client)
            }
            guard !isJudged else { return nil }
            let share = Double(client.errorCount) / Double(client.offered)
            guard share > Self.errorShareLimit else { return nil }
            let codes = client.errors.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
                .prefix(3).map { "\(HumanUnits.exact($0.value)) × \($0.key)" }
            return "\(ReportUnits.percent(share)) of the accesses of \(name) failed "
                + "(\(codes.joined(separator: ", "))); to allow more than "
                + "\(ReportUnits.percent(Self.errorShareLimit)), add a threshold on \(name).errors"
        }
    }

    private func outcomes(of client: ClientResult) -> String {
        var parts = client.errors.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
            .prefix(3).map { "\(HumanUnits.exact($0.value)) × \($0.key)" }
        let others = [
            (client.skipped, "skipped"), (client.interrupted, "interrupted"),
            (client.unfinished, "unfinished"),
        ]
        parts += others.filter { $0.0 > 0 }.map { "\(HumanUnits.exact($0.0)) \($0.1)" }
        return parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))"
    }
}
