import Text

extension TextReport {
    static func checks(_ run: ArmResult) -> [String] {
        var lines = run.thresholds.map { threshold in
            let observed =
                threshold.observed.map { value($0, of: threshold) }
                ?? reasonForMissingValue(of: threshold, in: run)
            return "  threshold \(threshold.metric) \(threshold.expression): "
                + "\(mark(threshold)) (\(observed))"
        }
        lines += run.invariants.map { invariant in
            "  invariant \(invariant.name): \(mark(invariant.passed)) (\(invariant.detail))"
        }
        return lines
    }

    private static func mark(_ threshold: ThresholdResult) -> String {
        threshold.undecided == true ? "UNDECIDED" : mark(threshold.passed)
    }

    private static func mark(_ passed: Bool?) -> String {
        switch passed {
        case true?: "passed"
        case false?: "FAILED"
        case nil: "not checked"
        }
    }

    private static func reasonForMissingValue(
        of threshold: ThresholdResult,
        in run: ArmResult
    ) -> String {
        let count = run.sampleCount(of: threshold.metric) ?? 0
        guard count > 0 else { return "no samples" }
        let samples = "too few samples: \(HumanUnits.exact(UInt64(count)))"
        switch threshold.passed {
        case true?: return samples + ", and the maximum is within the limit"
        case false?: return samples + ", and a lower percentile is beyond the limit"
        case nil: break
        }
        guard let seconds = threshold.decidingSeconds else { return samples }
        return samples + "; to collect enough samples, use --duration \(Int(seconds))s"
    }
}
