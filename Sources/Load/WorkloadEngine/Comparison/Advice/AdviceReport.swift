import Findings
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

    static func answer(of result: AdviceResult) -> String {
        let settings = result.settings.map { " (\($0))" } ?? ""
        let subject = "\(result.scenario) on \(result.arm)\(settings)"
        let tried = result.candidates.count
        let candidates = "\(tried) \(tried == 1 ? "candidate" : "candidates")"
        guard let first = result.recommended.first else {
            if tried == 0, result.partial {
                let reason = result.partialReason ?? "the search was stopped"
                return "\(subject): no changes were tried, because \(reason)."
            }
            if tried == 0 { return "\(subject): there are no changes to try." }
            let cause = cause(in: result).map { " \($0)" } ?? ""
            if tried == 1 {
                return "\(subject): no improvement was confirmed for the only candidate." + cause
            }
            return "\(subject): no improvement was confirmed among \(candidates)." + cause
        }
        let count = result.recommended.count
        let help =
            tried == 1
            ? "the only candidate helps"
            : count == 1 ? "1 of \(candidates) helps" : "\(count) of \(candidates) help"
        let losses = losses(of: first)
        return "\(subject): \(help); the best is \(first.name): "
            + changes(of: first).joined(separator: ", ")
            + (losses.isEmpty ? "" : ", but " + losses.joined(separator: ", ")) + "."
    }

    /// A sentence about the first cause that no setting removes, or `nil` if there is none.
    private static func cause(in result: AdviceResult) -> String? {
        let finding = result.findings?.first { finding in
            finding.level != .note
                && finding.remedy?.hasPrefix(LoadRules.notASetting) == true
        }
        guard let text = finding?.text else { return nil }
        return LoadRules.notASetting + text
    }

    private static func section(_ candidate: AdviceResult.Candidate, title: String) -> [String] {
        var lines = [title + ": " + changes(of: candidate).joined(separator: ", ")]
        lines.append("   change: \(candidate.change)")
        lines.append("   cost: \(candidate.cost)")
        if let writes = candidate.writes {
            lines.append("   writes: " + writes.map(effect).joined(separator: ", "))
        }
        let worse =
            (candidate.confirmed ?? []).filter { $0.verdict == .worse }
            + (candidate.sideEffects ?? [])
        if !worse.isEmpty {
            lines.append("   worse: " + worse.map(change).joined(separator: ", "))
        }
        return lines
    }

    private static func changes(of candidate: AdviceResult.Candidate) -> [String] {
        let pairs = candidate.confirmed ?? []
        let better = pairs.filter { $0.verdict == .better }.map(change)
        return better + pairs.filter { !$0.verdict.isDifference }.map(effect)
    }

    private static func effect(_ pair: ComparisonPair) -> String {
        guard !pair.verdict.isDifference else { return change(pair) }
        return "\(ComparisonResult.title(of: pair.metric)) "
            + (pair.verdict == .same ? "the same" : pair.note ?? "inconclusive")
    }

    private static func change(_ pair: ComparisonPair) -> String {
        let title = ComparisonResult.title(of: pair.metric)
        return pair.change.map { "\(title) \($0)" } ?? title
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
                let found = changes(of: candidate)
                let text = found.isEmpty ? outcome(of: candidate) : found.joined(separator: ", ")
                return "   \(candidate.change): \(text); \(candidate.cost)"
            }
    }

    private static let notTested = "not tested, "

    /// The outcome of a candidate that is not recommended.
    static func outcome(of candidate: AdviceResult.Candidate) -> String {
        let bound = candidate.bound.map {
            "no effect above \(ReportUnits.factor(max($0, AdviceResult.minimumEffect)))"
        }
        switch candidate.verdict {
        case .notConfirmed:
            let factor = candidate.screening.map { " (\(ReportUnits.factor($0)) in the screening)" }
            let isOpen = candidate.blocks > 0
            return (isOpen ? "may be due to chance, " : notTested)
                + (candidate.reason ?? "needs more time") + (isOpen ? "" : factor ?? "")
        case .small:
            return "less than \(ReportUnits.factor(AdviceResult.minimumEffect)) better: "
                + changes(of: candidate).joined(separator: ", ")
        case .noDifference: return (bound ?? "no difference") + " in new pairs of runs"
        case .worse: return "worse: " + losses(of: candidate).joined(separator: ", ")
        case .notPromising: return (bound ?? "no improvement") + " in the screening"
        case .failed: return candidate.problem ?? "could not be measured"
        case .recommended: return "confirmed"
        case .tradeOff: return "better in one metric, worse in another"
        }
    }

    private static func losses(of candidate: AdviceResult.Candidate) -> [String] {
        (candidate.confirmed ?? []).filter { $0.verdict == .worse }.map(change)
    }

    private static func method(_ result: AdviceResult) -> [String] {
        // If a percentile had too few samples, the confirmation used a lower percentile.
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
                + "\(ReportUnits.seconds(result.screeningSeconds)); used only to select candidates"
        )
        return lines
    }
}
