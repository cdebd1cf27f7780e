import Foundation

/// A candidate with its screening results.
struct ScreenedCandidate: Sendable {
    let candidate: AdviceCandidate
    /// For each round, the mean logarithm of the improvement factors, or `nil` if no metric has
    /// values in both runs.
    var gains: [Double?] = []
    /// The noise of a score after one round, as a logarithm.
    var noise = 0.0
    /// The reason that the candidate could not be measured, if any.
    var problem: String?

    init(_ candidate: AdviceCandidate) { self.candidate = candidate }

    /// The mean logarithm of the improvement factors over all rounds, or `nil` if there are no
    /// values.
    var score: Double? {
        let known = gains.compactMap { $0 }
        guard problem == nil, !known.isEmpty else { return nil }
        return known.reduce(0, +) / Double(known.count)
    }

    func result(_ verdict: AdviceResult.Verdict) -> AdviceResult.Candidate {
        AdviceResult.Candidate(
            name: candidate.arm.name,
            change: candidate.change,
            cost: candidate.cost,
            weakensDurability: candidate.weakensDurability,
            finding: candidate.finding,
            verdict: problem == nil ? verdict : .failed,
            screening: score.map { exp($0).rounded(toDigits: 3) },
            bound: verdict == .notPromising ? bound : nil,
            problem: problem
        )
    }

    /// The factor above which the screening excludes an effect, or `nil` if there are no values.
    ///
    /// A mean of few runs is within two standard deviations in 19 of 20 cases.
    private var bound: Double? {
        score.map { score in
            let deviation = noise / Double(max(1, gains.count)).squareRoot()
            return exp(max(score, 0) + 2 * deviation).rounded(toDigits: 3)
        }
    }
}

extension ScreenedCandidate {
    /// The improvement factor above which a candidate is promising.
    private static let minimumFactor = 1.05

    /// Whether the screening measured the candidate, or found that it cannot run.
    var isTested: Bool { problem != nil || !gains.isEmpty }

    /// Whether the improvement in the screening exceeds its noise.
    var isPromising: Bool {
        let deviation = noise / Double(max(1, gains.count)).squareRoot()
        return (score ?? 0) > max(log(Self.minimumFactor), min(deviation, log(1.5)))
    }

    /// Returns the result of a candidate that was not confirmed, for a reason, or, without one, for
    /// lack of time.
    ///
    /// `needed` is the time limit with which the search would confirm the candidate, in seconds.
    func notTested(_ reason: String?, needed: Double) -> AdviceResult.Candidate {
        var result = result(.notConfirmed)
        guard result.verdict == .notConfirmed else { return result }
        let minutes = Int(max(1, (needed / 60).rounded(.up)))
        result.reason = reason ?? "needs \(minutes) min (--within \(minutes)m)"
        if reason == nil { result.neededSeconds = needed.rounded(.up) }
        return result
    }
}

extension [ScreenedCandidate] {
    /// The minimum score of a candidate for the confirmation, as a share of the best score.
    private static var minimumShare: Double { 0.25 }

    var promising: [ScreenedCandidate] {
        filter(\.isPromising).sorted { ($0.score ?? 0) > ($1.score ?? 0) }
    }

    /// Returns the candidates for the confirmation, with at most one candidate of each kind.
    ///
    /// Candidates that preserve durability come first, and of these, those that answer a finding,
    /// and those with the highest score.
    /// Candidates with scores far below the best score are omitted to allow longer runs of the
    /// remaining candidates.
    func chosen(atMost count: Int) -> [ScreenedCandidate] {
        let best = promising.first { !$0.candidate.weakensDurability }?.score ?? 0
        let ranked = promising.filter { ($0.score ?? 0) >= best * Self.minimumShare }
            .sorted { one, other in
                (one.candidate.finding ?? .max, -(one.score ?? 0))
                    < (other.candidate.finding ?? .max, -(other.score ?? 0))
            }
        var chosen: [ScreenedCandidate] = []
        for tried in ranked.filter({ !$0.candidate.weakensDurability })
            + ranked.filter(\.candidate.weakensDurability)
        where chosen.count < count {
            guard !chosen.contains(where: { $0.candidate.kind == tried.candidate.kind }) else {
                continue
            }
            chosen.append(tried)
        }
        return chosen
    }
}
