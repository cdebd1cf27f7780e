import Comparison
import Text

/// A type that formats advice as text.
package enum AdviceReport {
    /// Returns the report as text.
    package static func text(of result: AdviceResult) -> String {
        var lines: [String] = []
        if result.partial { lines.append("PARTIAL  \(result.partialReason ?? "stopped")") }
        lines.append(result.answer)
        lines += (result.warnings ?? []).map { "warning: \($0)" }
        let findings = TextReport.findings(result.findings ?? [])
        if !findings.isEmpty { lines += ["", "with the current settings:"] + findings }
        for (number, candidate) in result.recommended.enumerated() {
            lines += [""] + section(candidate, title: "\(number + 1). \(candidate.name)")
        }
        let tradeOffs = result.candidates.filter {
            $0.verdict == .tradeOff && !$0.weakensDurability
        }
        if !tradeOffs.isEmpty { lines += ["", "Better in one metric, worse in another:"] }
        for candidate in tradeOffs { lines += section(candidate, title: "   \(candidate.name)") }
        lines += otherCandidateLines(of: result)
        lines += weakeningLines(result)
        lines += [""] + method(result)
        lines += TextReport.environment(result.environment, seed: result.seed)
        return ReportLines.text(lines.flatMap(ReportLines.wrapped))
    }

    private static func section(_ candidate: AdviceResult.Candidate, title: String) -> [String] {
        var lines = [title + ": " + candidate.changes.joined(separator: ", ")]
        lines.append("   change: \(candidate.change)")
        lines.append("   cost: \(candidate.cost)")
        if let writes = candidate.writes {
            lines.append("   writes: " + writes.map(\.effectText).joined(separator: ", "))
        }
        let worse =
            (candidate.confirmed ?? []).filter { $0.verdict == .worse }
            + (candidate.sideEffects ?? [])
        if !worse.isEmpty {
            lines.append("   worse: " + worse.map(\.changeText).joined(separator: ", "))
        }
        return lines
    }

    private static func otherCandidateLines(of result: AdviceResult) -> [String] {
        let rest = result.candidates.filter {
            !$0.weakensDurability && $0.verdict != .recommended && $0.verdict != .tradeOff
        }
        let groups = [
            ("did not help:", rest.filter { $0.verdict != .notConfirmed }),
            ("not tested:", rest.filter { $0.verdict == .notConfirmed }),
        ]
        return groups.flatMap { title, candidates -> [String] in
            guard !candidates.isEmpty else { return [] }
            return ["", title]
                + candidates.map { candidate in
                    let outcome = outcome(of: candidate)
                    // The heading says so.
                    let start = outcome.hasPrefix(notTested) ? notTested.count : 0
                    return "   \(candidate.change): \(outcome.dropFirst(start))"
                }
        }
    }

    private static func weakeningLines(_ result: AdviceResult) -> [String] {
        let weak = result.candidates.filter(\.weakensDurability)
        guard !weak.isEmpty else { return [] }
        return ["", "These changes weaken durability and are not recommended:"]
            + weak.map { candidate in
                let found = candidate.changes
                let text = found.isEmpty ? outcome(of: candidate) : found.joined(separator: ", ")
                return "   \(candidate.change): \(text); \(candidate.cost)"
            }
    }

    private static let notTested = "not tested, "

    /// The outcome of a candidate that is not recommended.
    static func outcome(of candidate: AdviceResult.Candidate) -> String {
        let bound =
            candidate.bound.map {
                "no effect above \(ReportUnits.factor(max($0, AdviceResult.minimumEffect)))"
            } ?? "effect unknown: too few accesses"
        switch candidate.verdict {
        case .notConfirmed:
            let factor = candidate.screening.map { " (\(ReportUnits.factor($0)) in the screening)" }
            let isOpen = candidate.blocks > 0
            return (isOpen ? "may be due to chance, " : notTested)
                + (candidate.reason ?? "needs more time") + (isOpen ? "" : factor ?? "")
        case .small:
            return "less than \(ReportUnits.factor(AdviceResult.minimumEffect)) better: "
                + candidate.changes.joined(separator: ", ")
        case .noDifference: return bound + " in new pairs of runs"
        case .worse: return "worse: " + candidate.losses.joined(separator: ", ")
        case .notPromising: return bound + " in the screening"
        case .failed: return candidate.problem ?? "could not be measured"
        case .recommended: return "confirmed"
        case .tradeOff: return "better in one metric, worse in another"
        }
    }

    private static func method(_ result: AdviceResult) -> [String] {
        // If a percentile had too few samples, the confirmation used a lower one or the mean.
        let confirmed = result.candidates.lazy.compactMap(\.confirmed).first { !$0.isEmpty }
        let metrics = confirmed?.map(\.metric) ?? result.primary
        var lines = metrics.isEmpty ? [] : ["primary metrics: " + metrics.joined(separator: ", ")]
        if result.blocks > 0, let seconds = result.confirmingSeconds {
            lines.append(
                "confirmed in \(result.blocks) new pairs of runs of "
                    + "\(ReportUnits.seconds(seconds)), with Holm's correction over all tests"
            )
            let floors = result.noiseFloor ?? [:]
            lines.append(
                "noise floor: "
                    + floors.sorted { $0.key < $1.key }
                    .map { "\(ComparisonResult.title(of: $0.key)) \(ReportUnits.factor($0.value))" }
                    .joined(separator: ", ")
            )
        }
        guard result.screeningRounds > 0 else { return lines }
        lines.append(
            "screening: the factor by which the primary metrics improved in up to "
                + "\(HumanUnits.counted(result.screeningRounds, "run")) of "
                + "\(ReportUnits.seconds(result.screeningSeconds)); used to select candidates "
                + "and to plan the confirmation, not for the verdicts"
        )
        return lines
    }
}
