extension ClientResult {
    /// The count, the code and the first message of each kind of error.
    var errorLines: [String] {
        errors.sorted { $0.key < $1.key }.map { code, count in
            let message = errorMessages?[code].map { ": \($0)" } ?? ""
            return "\(HumanUnits.count(count)) × \(code)\(message)"
        }
    }
}

extension ArmResult {
    /// The share of a client's accesses, in 0…1, that may fail if the scenario has no threshold on
    /// the client's errors.
    public static let errorShareLimit = 0.05

    /// Returns the reasons why a complete run failed.
    ///
    /// A run fails if a client has too many errors or no successful accesses.
    ///
    /// A threshold on a client's `errors` sets the number of errors that are allowed. Errors then
    /// do not fail the run if other accesses succeed. A client without any successful accesses
    /// passes only if a rate threshold allows 100%.
    ///
    /// - Parameters:
    ///   - thresholds: The scenario's thresholds.
    ///   - judgesUnfinished: Whether a client fails if all its accesses are unfinished when the run
    ///     ends.
    /// - Returns: One sentence for each client that failed.
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
                return "none of \(name)'s \(HumanUnits.count(client.offered)) accesses succeeded"
                    + outcomes(of: client)
            }
            guard !isJudged else { return nil }
            let share = Double(client.errorCount) / Double(client.offered)
            guard share > Self.errorShareLimit else { return nil }
            let codes = client.errors.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
                .prefix(3).map { "\(HumanUnits.count($0.value)) × \($0.key)" }
            return "\(HumanUnits.percent(share)) of \(name)'s accesses failed "
                + "(\(codes.joined(separator: ", "))); to allow more than "
                + "\(HumanUnits.percent(Self.errorShareLimit)), add a threshold on \(name).errors"
        }
    }

    /// Describes the outcomes of a client's accesses, in parentheses.
    private func outcomes(of client: ClientResult) -> String {
        var parts = client.errors.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
            .prefix(3).map { "\(HumanUnits.count($0.value)) × \($0.key)" }
        let others = [
            (client.skipped, "skipped"), (client.interrupted, "interrupted"),
            (client.unfinished, "unfinished"),
        ]
        parts += others.filter { $0.0 > 0 }.map { "\(HumanUnits.count($0.0)) \($0.1)" }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    }
}
