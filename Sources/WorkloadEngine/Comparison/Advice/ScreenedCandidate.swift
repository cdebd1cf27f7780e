import Foundation

/// A candidate with its screening results.
struct ScreenedCandidate: Sendable {
    let candidate: AdviceCandidate
    /// For each round, the mean logarithm of the improvement factors, or `nil` if no metric has
    /// values in both runs.
    var gains: [Double?] = []
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
            verdict: problem == nil ? verdict : .failed,
            screening: score.map { exp($0).rounded(toDigits: 3) },
            problem: problem
        )
    }
}

extension [ScreenedCandidate] {
    /// The improvement factor above which a candidate is promising.
    private static var minimumFactor: Double { 1.02 }
    /// The minimum score of a candidate for the confirmation, as a share of the best score.
    private static var minimumShare: Double { 0.25 }

    var promising: [ScreenedCandidate] {
        filter { ($0.score ?? 0) > log(Self.minimumFactor) }
            .sorted { ($0.score ?? 0) > ($1.score ?? 0) }
    }

    /// Returns the candidates for the confirmation, with at most one candidate of each kind.
    ///
    /// Candidates that preserve durability come first, then those with the highest score.
    /// Candidates with scores far below the best score are omitted to allow longer runs of the
    /// remaining candidates.
    func chosen(atMost count: Int) -> [ScreenedCandidate] {
        let best = promising.first { !$0.candidate.weakensDurability }?.score ?? 0
        let ranked = promising.filter { ($0.score ?? 0) >= best * Self.minimumShare }
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
