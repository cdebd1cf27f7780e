import Foundation
import Scenarios
import Text
import WorkloadEngine

/// Corrections of a captured scenario, from the differences between the capture and a run.
///
/// A program and the load generator do not need the same time between two statements, and a trace
/// lengthens some of the captured times. The corrected pauses make up for both.
package struct FidelityAdjustment: Sendable, Equatable {
    /// The factors of the pauses inside transactions, by client and operation.
    private var pauseFactors: [String: Double] = [:]
    /// The factors of the think times, by client.
    private var paceFactors: [String: Double] = [:]
    /// The operations whose values of LIMIT are drawn, because their largest value returned too
    /// many rows.
    private var drawnLimits: Set<String> = []

    package init() {}

    /// The range of the factors.
    private static let limits = 0.1...10.0
    /// The smallest correction.
    private static let smallest = 0.02

    func factor(ofPausesIn operation: String, of client: String) -> Double {
        pauseFactors["\(client) \(operation)", default: 1]
    }

    func factor(ofPaceOf client: String) -> Double { paceFactors[client, default: 1] }

    func drawsLimits(of operation: String) -> Bool { drawnLimits.contains(operation) }

    /// Returns the corrections after another run, or `nil` if nothing in the scenario can correct
    /// the differences.
    package func corrected(
        by rows: [FidelityReport.Row],
        of scenario: CapturedScenario
    ) -> FidelityAdjustment? {
        var next = self
        for client in scenario.clients {
            let rows = zip(scenario.operations, rows).filter { $0.0.client == client.name }
            for (operation, row) in rows where operation.hasLimit {
                guard let captured = row.rows.captured, let replayed = row.rows.replayed,
                    replayed > captured * (1 + FidelityReport.tolerance)
                else { continue }
                next.drawnLimits.insert(operation.name)
            }
            // The total time that the corrected pauses add to one transaction, in seconds.
            var change = 0.0
            let rate = rows.reduce((captured: 0.0, replayed: 0.0)) {
                ($0.captured + $1.1.rate.captured, $0.replayed + $1.1.rate.replayed)
            }
            guard rate.captured > 0, rate.replayed > 0 else { continue }
            for (operation, row) in rows where operation.pauseSeconds > 0 {
                guard let excess = row.excess else { continue }
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
            let wanted = think + workers / rate.captured - workers / rate.replayed - change
            Self.correct(
                &next.paceFactors[client.name],
                by: max(wanted / think, Self.limits.lowerBound)
            )
        }
        return next == self ? nil : next
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
            + drawnLimits.sorted().map { "LIMIT of \($0) drawn from the numbers of rows" }
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
