import Foundation
import Scenarios
import Text
import WorkloadEngine

/// Corrections of a captured scenario, from the differences between the capture and a run.
///
/// A program and the load generator do not need the same time between two statements, and a trace
/// lengthens some of the captured times. The corrected pauses make up for both. If the values of the
/// run find other rows than those of the program, the values are drawn in another way first, because
/// the times depend on the rows.
package struct FidelityAdjustment: Sendable, Equatable {
    /// The factors of the pauses inside transactions, by client and operation.
    private var pauseFactors: [String: Double] = [:]
    /// The factors of the think times, by client.
    private var paceFactors: [String: Double] = [:]
    /// How the values are drawn, by operation.
    private var valueModels: [String: ValueModel] = [:]
    /// The ways to draw values that made the differences larger, by operation.
    private var rejected: [String: Set<ValueModel>] = [:]

    package init() {}

    /// The range of the factors.
    private static let limits = 0.1...10.0
    /// The smallest correction.
    private static let smallest = 0.02
    /// The factor by which a word's rows must exceed the captured rows to search for two words.
    private static let pairFactor = 3.0

    func factor(ofPausesIn operation: String, of client: String) -> Double {
        pauseFactors["\(client) \(operation)", default: 1]
    }

    func factor(ofPaceOf client: String) -> Double { paceFactors[client, default: 1] }

    func valueModel(of operation: String) -> ValueModel { valueModels[operation] ?? ValueModel() }

    /// Notes that a run with other corrections differs more from the capture.
    ///
    /// Ways to draw values that improve their operation's rows or time may be tried again without the
    /// others.
    ///
    /// - Parameters:
    ///   - other: The corrections.
    ///   - scenario: The scenario without them.
    ///   - rows: Its differences.
    ///   - next: The differences with the corrections, or none if they do not change the scenario.
    /// - Returns: Whether there may be further ways to draw values.
    package mutating func reject(
        _ other: FidelityAdjustment,
        of scenario: CapturedScenario,
        rows: [FidelityReport.Row],
        next: [FidelityReport.Row] = []
    ) -> Bool {
        var isAny = false
        for (index, operation) in scenario.operations.enumerated() {
            let name = operation.name
            guard let model = other.valueModels[name], model != valueModels[name] else { continue }
            isAny = true
            if rows.indices.contains(index), next.indices.contains(index),
                next[index].valueDistance(of: operation) < rows[index].valueDistance(of: operation)
            {
                continue
            }
            rejected[name, default: []].insert(model)
        }
        return isAny
    }

    /// Returns the corrections after another run, or `nil` if nothing in the scenario can correct
    /// the differences.
    ///
    /// - Parameters:
    ///   - rows: The differences.
    ///   - scenario: The scenario that ran.
    ///   - changesValues: Whether values may be drawn in other ways.
    /// - Returns: The corrections.
    package func corrected(
        by rows: [FidelityReport.Row],
        of scenario: CapturedScenario,
        changesValues: Bool = true
    ) -> FidelityAdjustment? {
        var next = self
        // The times of the next run depend on its rows.
        var changedClients: Set<String> = []
        for (operation, row) in zip(scenario.operations, rows) where changesValues {
            guard let model = nextModel(of: operation, row: row) else { continue }
            next.valueModels[operation.name] = model
            changedClients.insert(operation.client)
        }
        for client in scenario.clients where !changedClients.contains(client.name) {
            let rows = zip(scenario.operations, rows).filter { $0.0.client == client.name }
            // The total time that the corrected pauses add to one transaction, in seconds.
            var change = 0.0
            let rate = rows.reduce((captured: 0.0, replayed: 0.0)) {
                ($0.captured + $1.1.rate.captured, $0.replayed + $1.1.rate.replayed)
            }
            guard rate.captured > 0, rate.replayed > 0 else { continue }
            // Slow processors lengthen the cycle, and need no correction.
            let explained = rows.reduce(0.0) { sum, pair in
                let row = pair.1
                guard let expected = row.expectedSeconds, let captured = row.seconds.captured
                else { return sum }
                return sum + (expected - captured) * row.rate.replayed / rate.replayed
            }
            for (operation, row) in rows where operation.pauseSeconds > 0 {
                guard let excess = row.certainExcess else { continue }
                let pause = operation.pauseSeconds
                let wanted = max(pause + excess, pause * Self.limits.lowerBound)
                change += (wanted - pause) * row.rate.replayed / rate.replayed
                Self.correct(
                    &next.pauseFactors["\(client.name) \(operation.name)"],
                    by: wanted / pause
                )
            }
            guard let think = client.thinkSeconds, think > 0 else { continue }
            let workers = Double(client.workers)
            let wanted =
                think + workers / rate.captured - workers / rate.replayed - change
                + explained
            Self.correct(
                &next.paceFactors[client.name],
                by: max(wanted / think, Self.limits.lowerBound)
            )
        }
        return next == self ? nil : next
    }

    /// Returns another way to draw an operation's values if they find other rows than the program's
    /// values, or `nil` if they do not or if there is none.
    private func nextModel(
        of operation: CapturedScenario.Operation,
        row: FidelityReport.Row
    ) -> ValueModel? {
        let current = valueModel(of: operation.name)
        var candidates: [ValueModel] = []
        func add(_ change: (inout ValueModel) -> Void) {
            var model = current
            change(&model)
            if model != current { candidates.append(model) }
        }
        let findsTooMany = row.excessRows.map { $0 > 1 } ?? false
        if let wordRows = operation.values.wordRows {
            let ratio = current.searchesPairs ? row.excessRows : row.excess(of: operation)
            let frequency = wordRows / (ratio ?? 1)
            if operation.values.hasWordPairs, !current.searchesPairs,
                let rows = row.rows.captured, let found = row.rows.replayed,
                found > rows * (1 + FidelityReport.tolerance), frequency > Self.pairFactor * rows
            {
                // The time is that of a word in far more rows than the search returns.
                add {
                    $0.searchesPairs = true
                    $0.wordFrequency = max(1, Int(rows.rounded()))
                }
            }
            if ratio != nil { add { $0.wordFrequency = max(1, Int(frequency.rounded())) } }
        }
        if findsTooMany {
            if operation.values.hasLimit { add { $0.drawsLimits = true } }
            if operation.values.joinsLiteral { add { $0.joins = .parameters } }
            if operation.values.joins { add { $0.joins = .none } }
            if operation.values.drawsRows { add { $0.drawsDistinctValues = true } }
        }
        return candidates.first { !rejected[operation.name, default: []].contains($0) }
    }

    private static func correct(_ factor: inout Double?, by correction: Double) {
        guard correction.isFinite, abs(correction - 1) >= smallest else { return }
        let old = factor ?? 1
        factor = min(max(old * correction, limits.lowerBound), limits.upperBound)
    }

    /// The corrections, one phrase each.
    package var descriptions: [String] {
        func phrase(_ what: String, factor: Double) -> String {
            "\(what) × \(ReportUnits.compact(factor))"
        }
        return pauseFactors.sorted { $0.key < $1.key }.map {
            phrase("pauses of \($0.key)", factor: $0.value)
        }
            + paceFactors.sorted { $0.key < $1.key }
            .map { phrase("think time of \($0.key)", factor: $0.value) }
            + valueModels.sorted { $0.key < $1.key }.flatMap { operation, model in
                model.descriptions.map { "\($0) of \(operation)" }
            }
    }
}

extension ValueModel {
    fileprivate var descriptions: [String] {
        [
            drawsLimits ? "LIMIT drawn from the numbers of rows" : nil,
            joins == .parameters ? "literals drawn without regard to other values" : nil,
            joins == .none ? "values drawn without regard to each other" : nil,
            drawsDistinctValues ? "each value equally likely" : nil,
            wordFrequency.map {
                "\(searchesPairs ? "pairs of words" : "words") in about "
                    + HumanUnits.exact($0, "row")
            },
        ].compactMap { $0 }
    }
}

extension [Step] {
    /// The mean time of the pauses, in seconds.
    var pauseSeconds: Double {
        reduce(0) { sum, step in
            switch step {
            case .pause(let time): sum + time.meanSeconds
            case .times(let count, let steps): sum + Double(count) * steps.pauseSeconds
            case .run, .when: sum
            }
        }
    }

    /// The number of pauses.
    var pauseCount: Int {
        reduce(0) { sum, step in
            switch step {
            case .pause: sum + 1
            case .times(let count, let steps): sum + count * steps.pauseCount
            case .run, .when: sum
            }
        }
    }

    /// Returns the steps with longer or shorter pauses.
    func scalingPauses(by factor: Double) -> [Step] {
        factor == 1
            ? self
            : map { step in
                switch step {
                case .pause(let time): .pause(time.scaled(by: factor))
                case .times(let count, let steps):
                    .times(count, steps.scalingPauses(by: factor))
                case .run, .when: step
                }
            }
    }
}

extension ThinkTime {
    fileprivate var meanSeconds: Double {
        switch self {
        case .constant(let time), .exponential(mean: let time): time / .seconds(1)
        case .uniform(let range): (range.lowerBound + range.upperBound) / .seconds(2)
        }
    }

    fileprivate func scaled(by factor: Double) -> ThinkTime {
        func scaled(_ time: Duration) -> Duration { .rounded(time / .seconds(1) * factor) }
        return switch self {
        case .constant(let time): .constant(scaled(time))
        case .exponential(mean: let time): .exponential(mean: scaled(time))
        case .uniform(let range): .uniform(scaled(range.lowerBound)...scaled(range.upperBound))
        }
    }
}
