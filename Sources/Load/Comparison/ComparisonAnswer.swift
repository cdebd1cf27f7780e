import Scenarios
import Text

/// A type that summarizes a comparison in one sentence for each arm.
struct ComparisonAnswer {
    private let result: ComparisonResult
    private let arms: [Arm]

    init(_ result: ComparisonResult, arms: [Arm]) {
        self.result = result
        self.arms = arms
    }

    var sentences: [String] {
        guard let first = arms.first, arms.count > 1, result.blocks > 0 else { return [] }
        // The pool's sentence also describes the queue in WAL mode.
        let judged = arms.dropFirst().filter { arm in
            !arms.contains { walQueue(between: first, and: $0) == arm.name }
        }
        return judged.map { sentence(of: $0, against: first) }
    }

    private func sentence(of arm: Arm, against first: Arm) -> String {
        let pairs = result.primary.compactMap { result.pair($0, of: arm.name, against: first.name) }
        let different = pairs.filter(\.verdict.isDifference)
        guard !different.isEmpty else {
            return sentenceWithoutDifference(pairs, arm: arm, first: first)
        }
        var sentence =
            "\(arm.name): "
            + different.map(change).joined(separator: ", ") + " than \(first.name)"
        if let share = walShare(of: different, arm, first: first) { sentence += "; " + share }
        let rest = pairs.filter { !$0.verdict.isDifference }
        if !rest.isEmpty { sentence += "; " + rest.map(withoutDifference).joined(separator: ", ") }
        return sentence + "."
    }

    private func sentenceWithoutDifference(
        _ pairs: [ComparisonPair],
        arm: Arm,
        first: Arm
    ) -> String {
        let isMeasured = pairs.contains {
            $0.verdict == .same || $0.ratio != nil && BlockCount.suffices($0.blocks, tests: 1)
        }
        return "\(arm.name): "
            + (isMeasured
                ? "these blocks show no difference from \(first.name); "
                : "no conclusion about a difference from \(first.name); ")
            + pairs.map(withoutDifference).joined(separator: ", ") + "."
    }

    private func change(_ pair: ComparisonPair) -> String {
        pair.change.map { "\(title(pair.metric)) \($0)" } ?? ""
    }

    private func withoutDifference(_ pair: ComparisonPair) -> String {
        let title = title(pair.metric)
        guard let ratio = pair.ratio, let low = pair.low, let high = pair.high else {
            return "\(title) not measured (\(pair.note ?? "no samples"))"
        }
        let floor = result.noiseFloor[pair.metric].map { "±\(ReportUnits.factor($0))" }
        if pair.verdict == .same {
            return "\(title) is the same within this machine's noise"
                + (floor.map { " (\($0))" } ?? "")
        }
        let isSmall = result.noiseFloor[pair.metric].map { max(ratio, 1 / ratio) <= $0 } ?? false
        return isSmall
            ? "\(title) \(ReportUnits.factor(ratio)) (\(ReportUnits.range(low, high))) is below this "
                + "machine's noise" + (floor.map { " of \($0)" } ?? "")
            : "\(title) \(pair.change ?? ""): "
                + (pair.note ?? "may be due to chance")
    }

    private func title(_ metric: String) -> String { ComparisonResult.title(of: metric) }

    // MARK: Effect of WAL alone

    /// Returns the name of a queue in WAL mode that uses the same library as the pool `arm`.
    ///
    /// Returns `nil` unless `first` is a queue in a different journal mode and `arm` is a pool.
    private func walQueue(between first: Arm, and arm: Arm) -> String? {
        guard first.kind == .queue, !first.isWAL, arm.kind == .pool else { return nil }
        return arms.first {
            $0.kind == .queue && $0.isWAL && $0.library == arm.library && $0.name != first.name
        }?.name
    }

    enum Share: Equatable {
        case nothing
        case part(String)
        case all
    }

    /// Describes how much of a pool's advantage over a queue also occurs with a queue in WAL mode.
    private func walShare(of pairs: [ComparisonPair], _ arm: Arm, first: Arm) -> String? {
        guard let queue = walQueue(between: first, and: arm) else { return nil }
        let settings = "WAL and synchronous NORMAL alone"
        let shares = pairs.compactMap { pair -> (title: String, share: Share)? in
            guard let alone = result.pair(pair.metric, of: queue, against: first.name) else {
                return nil
            }
            let rest = result.pair(pair.metric, of: arm.name, against: queue)
            return (title(pair.metric), Self.share(of: pair, alone: alone, rest: rest))
        }
        guard let share = shares.first?.share else { return nil }
        if shares.allSatisfy({ $0.share == share }) {
            switch share {
            case .nothing: return "none of it comes from \(settings)"
            case .part(let factor): return "of that, \(factor) comes from \(settings)"
            case .all: return "all of it comes from \(settings)"
            }
        }
        let unaffected = shares.filter { $0.share == .nothing }.map(\.title)
        let parts = shares.compactMap { title, share -> String? in
            switch share {
            case .nothing: nil
            case .part(let factor): "\(factor) of the difference in \(title)"
            case .all: "all of the difference in \(title)"
            }
        }
        var clauses: [String] = []
        if !parts.isEmpty { clauses.append("account for " + parts.joined(separator: " and ")) }
        if !unaffected.isEmpty {
            clauses.append("have no measurable effect on " + unaffected.joined(separator: " and "))
        }
        return "\(settings) (\(queue)) \(clauses.joined(separator: " and "))"
    }

    /// Returns the part of a difference that the queue in WAL mode also shows.
    ///
    /// The part is ``Share/all`` if the pool shows no additional difference.
    static func share(
        of pair: ComparisonPair,
        alone: ComparisonPair,
        rest: ComparisonPair?
    ) -> Share {
        guard let whole = pair.ratio, let ratio = alone.ratio, alone.verdict.isDifference,
            (whole < 1) == (ratio < 1)
        else { return .nothing }
        if let rest, !rest.verdict.isDifference { return .all }
        let least = alone.isBound == true ? "at least " : ""
        return .part(least + ReportUnits.factor(max(ratio, 1 / ratio)))
    }
}

extension ComparisonResult {
    package static func title(of metric: String) -> String {
        var words = metric.split(separator: ".", maxSplits: 2).map(String.init)
        if words.count == 3, words[1] == "response" { words.remove(at: 1) }
        return words.joined(separator: " ")
    }
}

extension SweepSummary {
    /// Returns a sentence for each primary metric.
    ///
    /// For example: `ui p99 of pool against queue: better at readers 4, 8 (by up to 3.1×);
    /// inconclusive at readers 1, 2.`
    func answer(of result: ComparisonResult) -> [String] {
        guard result.blocks > 0 else { return [] }
        return result.primary.map { metric in
            let pairs = rows.compactMap { row in
                row.pair(metric, in: result).map { (value: row.value, pair: $0) }
            }
            let order: [ComparisonVerdict] = [.better, .worse, .same, .inconclusive]
            let parts = order.compactMap { verdict -> String? in
                let found = pairs.filter { $0.pair.verdict == verdict }
                guard !found.isEmpty else { return nil }
                let factors = found.compactMap { row in
                    row.pair.ratio.map { (factor: max($0, 1 / $0), pair: row.pair) }
                }
                let size =
                    verdict.isDifference
                    ? factors.max { $0.factor < $1.factor }.map { largest in
                        let most = found.count > 1 ? "up to " : ""
                        let least = largest.pair.isBound == true ? "at least " : ""
                        return " (by \(most)\(least)\(ReportUnits.factor(largest.factor)))"
                    } ?? "" : ""
                return "\(verdict.rawValue) at \(variable) "
                    + found.map(\.value).joined(separator: ", ") + size
            }
            let baseline =
                arms.count > 1
                ? arms[0] : "\(variable) \(rows.first?.value ?? "")"
            return "\(ComparisonResult.title(of: metric)) of \(arms.last ?? "") against "
                + "\(baseline): \(parts.joined(separator: "; "))."
        }
    }
}
