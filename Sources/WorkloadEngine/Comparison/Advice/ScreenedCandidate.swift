import Foundation

/// A candidate with the results of its screening runs.
struct ScreenedCandidate: Sendable {
    let candidate: AdviceCandidate
    /// The mean logarithm of the improvement factors in each round; nil without common values.
    var gains: [Double?] = []
    /// Why the candidate could not be measured; nil if it could.
    var problem: String?

    init(_ candidate: AdviceCandidate) { self.candidate = candidate }

    /// The mean logarithm of the improvement factors over all rounds; nil without values.
    var score: Double? {
        let known = gains.compactMap { $0 }
        guard problem == nil, !known.isEmpty else { return nil }
        return known.reduce(0, +) / Double(known.count)
    }

    /// The candidate in a result.
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
    /// The factor by which a candidate must be better in the screening.
    private static var leastScreening: Double { 1.02 }
    /// The smallest score, as a share of the best one, that is worth the time of a confirmation.
    private static var leastShare: Double { 0.25 }

    /// The candidates that were better in the screening, the best first.
    var promising: [ScreenedCandidate] {
        filter { ($0.score ?? 0) > log(Self.leastScreening) }
            .sorted { ($0.score ?? 0) > ($1.score ?? 0) }
    }

    /// Chooses candidates for the confirmation, the best first.
    ///
    /// It chooses one of each kind. Candidates that keep durability precede the others. A candidate
    /// whose score is far below the best one is omitted, so that the others get longer runs.
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
