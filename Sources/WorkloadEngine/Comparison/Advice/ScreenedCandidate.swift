import Foundation

/// A candidate with the results of its screening runs.
struct ScreenedCandidate: Sendable {
    let candidate: AdviceCandidate
    /// The mean logarithm of the improvement factors in each round; nil if the runs have no common
    /// values.
    var gains: [Double?] = []
    /// Why the candidate could not be measured; nil if it could be measured.
    var problem: String?

    init(_ candidate: AdviceCandidate) { self.candidate = candidate }

    /// The mean logarithm of the improvement factors over all rounds; nil if there are no values.
    var score: Double? {
        let known = gains.compactMap { $0 }
        guard problem == nil, !known.isEmpty else { return nil }
        return known.reduce(0, +) / Double(known.count)
    }

    /// Returns the candidate for a result.
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
    /// Chooses at most one candidate of each kind. Candidates that preserve durability come first.
    /// A candidate is omitted if its score is far below the best one, which gives the others longer
    /// runs.
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
