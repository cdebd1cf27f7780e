import Foundation

/// A candidate with the results of its screening runs.
struct ScreenedCandidate: Sendable {
    let candidate: AdviceCandidate
    /// The mean logarithm of the improvement factors in each round, or `nil` if no metric has a
    /// value in both runs.
    var gains: [Double?] = []
    /// Why the candidate could not be measured, or `nil` if it could be measured.
    var problem: String?

    init(_ candidate: AdviceCandidate) { self.candidate = candidate }

    /// The mean logarithm of the improvement factors over all rounds, or `nil` if there are no
    /// values.
    var score: Double? {
        let known = gains.compactMap { $0 }
        guard problem == nil, !known.isEmpty else { return nil }
        return known.reduce(0, +) / Double(known.count)
    }

    /// Returns the candidate in the form that a result contains.
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
    /// The minimum improvement factor of a promising candidate in the screening.
    private static var leastScreening: Double { 1.02 }
    /// The smallest share of the best score that makes a candidate worth confirming.
    private static var leastShare: Double { 0.25 }

    /// The candidates that improved the metrics in the screening, with the best one first.
    var promising: [ScreenedCandidate] {
        filter { ($0.score ?? 0) > log(Self.leastScreening) }
            .sorted { ($0.score ?? 0) > ($1.score ?? 0) }
    }

    /// Chooses candidates for the confirmation, with the best one first.
    ///
    /// At most one candidate of each kind is chosen. Candidates that preserve durability come
    /// first. A candidate is omitted if its score is far below the best score, so that the others
    /// can have longer runs.
    func chosen(most: Int) -> [ScreenedCandidate] {
        let best = promising.first { !$0.candidate.weakensDurability }?.score ?? 0
        let ranked = promising.filter { ($0.score ?? 0) >= best * Self.leastShare }
        var chosen: [ScreenedCandidate] = []
        for tried in ranked.filter({ !$0.candidate.weakensDurability })
            + ranked.filter(\.candidate.weakensDurability)
        where chosen.count < most {
            guard !chosen.contains(where: { $0.candidate.kind == tried.candidate.kind }) else {
                continue
            }
            chosen.append(tried)
        }
        return chosen
    }
}
