import Foundation
import Scenarios
import Text
import WorkloadEngine

/// A type that computes the result of a comparison from its blocks.
struct ComparisonSummary {
    /// The scenario after scaling.
    let scenario: Scenario
    /// The scenario before scaling.
    let original: Scenario
    let plan: ComparisonPlan
    let options: ComparisonOptions
    let isPartial: Bool
    /// The reasons for omitting clients, keyed by the client's name.
    let leftOut: [String: String]

    func result(of completed: [ComparisonRun.Block]) -> ComparisonResult {
        let seconds = options.duration.inSeconds
        // Discard blocks in which the generator was the bottleneck, because they do not measure the
        // database. If there are too many such blocks, the whole comparison is invalid.
        let valid = completed.filter { $0.runs.allSatisfy(\.result.valid) }
        let tests = plan.primary.count * plan.pairs.count
        let isValid =
            valid.count == completed.count
            || (valid.count * 2 >= completed.count
                && BlockCount.suffices(valid.count, tests: tests))
        let blocks = isValid ? valid : completed
        let analysis = ComparisonAnalysis(plan: plan, blocks: blocks.map(\.runs), seconds: seconds)
        let noise = analysis.noise()
        let pairs = analysis.pairs(noise: noise)
        let representative = analysis.representativeBlock(of: blocks.count)
        let first = plan.arms.first?.name
        let conditions = plan.conditions.flatMap { condition in
            pairs.compactMap { condition.outcome(of: $0, against: first) }
        }
        let arms = plan.slots.indices.map { slot in
            armComparison(slot, analysis: analysis, blocks: blocks, representative: representative)
        }
        var result = ComparisonResult(
            schema: ComparisonResult.schemaName,
            answer: [],
            scenario: scenario.name,
            seed: scenario.seed,
            environment: HostEnvironment(
                in: options.run.folder,
                scenario: original,
                versions: options.versions
            ),
            blocks: blocks.count,
            blockDuration: seconds,
            partial: isPartial,
            order: blocks.map { block in block.order.map { plan.slots[$0].arm.name } },
            leftOut: leftOut.isEmpty ? nil : leftOut,
            primary: analysis.primary.map(\.name),
            replaced: analysis.replaced.isEmpty ? nil : analysis.replaced,
            noiseFloor: Dictionary(uniqueKeysWithValues: noise.map { ($0.metric, $0.floor) }),
            noise: noise,
            pairs: pairs,
            failIf: conditions.isEmpty ? nil : conditions,
            sweep: options.sweep.map {
                SweepSummary(
                    variable: $0.sweep.variable.name,
                    arms: $0.arms,
                    plannedBlocks: options.blocks,
                    rows: $0.rows
                )
            },
            arms: Array(arms.dropLast()),
            control: arms.last,
            representativeBlock: representative.map { $0 + 1 },
            failedRuns: lines(of: completed) { $0.failures ?? [] },
            invalidRuns: isValid ? nil : invalidRunLines(completed),
            violations: lines(of: completed) { run in
                run.invariants.filter { $0.passed == false }.map { "\($0.name): \($0.detail)" }
            }
        )
        var warnings = warnings(analysis, noise: noise, blocks: blocks)
        if isValid, let lines = invalidRunLines(completed) {
            let count = completed.count - valid.count
            warnings.append(
                "\(count) of \(completed.count) blocks \(count == 1 ? "was" : "were") discarded: "
                    + lines.joined(separator: "; ")
            )
        }
        if options.sweep != nil, !isPartial, completed.count < options.blocks {
            warnings.append(
                "the time limit (--within) was reached after \(completed.count) of "
                    + "\(options.blocks) blocks"
            )
        }
        if !warnings.isEmpty { result.warnings = warnings }
        result.answer =
            result.sweep.map { $0.answer(of: result) }
            ?? ComparisonAnswer(result, arms: plan.arms).sentences
        return result
    }

    private func armComparison(
        _ slot: Int,
        analysis: ComparisonAnalysis,
        blocks: [ComparisonRun.Block],
        representative: Int?
    ) -> ArmComparison {
        let slotPlan = plan.slots[slot]
        let values =
            slotPlan.isControl
            ? analysis.controlValues : analysis.values(ofArm: slotPlan.arm.name)
        var responses: [String: LatencyHistogram] = [:]
        for block in blocks {
            for (client, histogram) in block.runs[slot].responses {
                responses[client, default: LatencyHistogram()].add(histogram)
            }
        }
        return ArmComparison(
            arm: slotPlan.arm.name,
            metrics: values.compactMapValues { Spread($0.compactMap { $0 }) },
            values: values,
            spectra: responses.compactMapValues { PercentileCurve($0) },
            representative: representative.map { blocks[$0].runs[slot].result }
        )
    }

    private func invalidRunLines(_ blocks: [ComparisonRun.Block]) -> [String]? {
        lines(of: blocks) { $0.invalidReason.map { [$0] } ?? [] }
    }

    /// Returns a line for each text about a run, as in `block 3, pool: …`, or `nil` if there are no
    /// texts.
    private func lines(
        of blocks: [ComparisonRun.Block],
        _ texts: (ArmResult) -> [String]
    ) -> [String]? {
        let lines = blocks.enumerated().flatMap { number, block in
            block.order.flatMap { slot in
                texts(block.runs[slot].result).map {
                    "block \(number + 1), \(plan.slots[slot].arm.name): \($0)"
                }
            }
        }
        return lines.isEmpty ? nil : lines
    }

    // MARK: Warnings

    private func warnings(
        _ analysis: ComparisonAnalysis,
        noise: [NoiseMeasurement],
        blocks: [ComparisonRun.Block]
    ) -> [String] {
        var warnings = Self.replacementWarnings(
            analysis.replaced,
            remedy: options.limit == nil ? "--duration" : "--within"
        )
        let decided = noise.filter { found in analysis.primary.contains { $0.name == found.metric }
        }
        let alarms = zip(decided, Holm.adjusted(decided.map(\.p))).filter {
            $0.1 <= BlockCount.significance
        }
        if let first = plan.arms.first?.name {
            for (found, _) in alarms {
                warnings.append(
                    "two runs of \(first) differ by more than chance explains in \(found.metric) ("
                        + ReportUnits.factor(found.ratio)
                        + "): the machine may have changed during the comparison"
                )
            }
        }
        if let warning = leapWarning(analysis, noise: decided, count: blocks.count) {
            warnings.append(warning)
        }
        return warnings + skipWarnings(blocks)
    }

    /// Returns one line for each way to replace a metric, with the clients that it concerns.
    static func replacementWarnings(_ replaced: [String: String], remedy: String) -> [String] {
        /// Returns the client or operation, and the rest of a name such as `ui.response.p99`.
        func parts(_ name: String) -> (owner: String, aggregate: String) {
            let words = name.split(separator: ".", maxSplits: 1).map(String.init)
            return (words[0], words.count > 1 ? words[1] : "")
        }
        let changes = Dictionary(grouping: replaced.sorted { $0.key < $1.key }) { change in
            "\(parts(change.key).aggregate) \(parts(change.value).aggregate)"
        }
        return changes.sorted { $0.key < $1.key }.map { _, changes in
            let (requested, metric) = changes[0]
            let owners = changes.map { parts($0.key).owner }.joined(separator: ", ")
            return "\(parts(requested).aggregate) of \(owners) has too few samples in some blocks "
                + "and was replaced by \(parts(metric).aggregate) (a longer \(remedy) avoids this)"
        }
    }

    private func leapWarning(
        _ analysis: ComparisonAnalysis,
        noise: [NoiseMeasurement],
        count: Int
    ) -> String? {
        // Omit high percentiles, which may vary because of the random load.
        let steady = noise.filter { [".throughput", ".p50"].contains(where: $0.metric.hasSuffix) }
        let found = steady.compactMap { measurement in
            analysis.leaps(in: measurement).map { (metric: measurement.metric, leaps: $0) }
        }
        guard let first = plan.arms.first?.name,
            let (metric, leaps) = found.max(by: { $0.leaps.count < $1.leaps.count })
        else { return nil }
        let blocks = min(ComparisonOptions.maximumBlocks, 3 * options.blocks)
        let advice =
            options.limit != nil
            ? "; a longer --within reduces this"
            : blocks > options.blocks ? "; more blocks reduce this: try --blocks \(blocks)" : ""
        return "in \(leaps.count) of \(count) blocks, two runs of \(first) differ by "
            + "\(ReportUnits.factor(leaps.smallestRatio)) or more in \(metric), and in the others by at "
            + "most \(ReportUnits.factor(leaps.largestUsualRatio)): the machine's speed may have changed"
            + advice
    }

    private func skipWarnings(_ blocks: [ComparisonRun.Block]) -> [String] {
        scenario.clients.compactMap { client in
            guard case .open(let arrival) = client.pace, let limit = arrival.skipAfter else {
                return nil
            }
            let shares = plan.arms.indices.compactMap { slot -> String? in
                let results = blocks.compactMap { $0.runs[slot].result.clients[client.name] }
                let offered = results.reduce(0) { $0 + $1.offered }
                let skipped = results.reduce(0) { $0 + $1.skipped }
                // A smaller share of skipped accesses does not affect a reported percentile.
                guard offered > 0, skipped * 1000 > offered else { return nil }
                let share = ReportUnits.percent(Double(skipped) / Double(offered))
                return "\(share) on \(plan.arms[slot].name)"
            }
            guard !shares.isEmpty else { return nil }
            return "\(client.name) skipped accesses that were already too late when a worker "
                + "became free (" + shares.joined(separator: ", ")
                + "): each counts as a response of "
                + "\(ReportUnits.time(limit.wholeNanoseconds)), a lower bound"
        }
    }
}
