import Scenarios
import Text
import WorkloadEngine

/// A type that writes verdicts as JUnit XML, which CI systems display as test results.
///
/// Each arm is a test suite. The run, each threshold, and each invariant are test cases.
public enum JUnitReport {
    /// Returns the document for a run, ending with a line feed.
    public static func text(of result: RunResult) -> String {
        let facts = facts(of: result.environment, seed: result.seed)
        var suites = result.runs.map { suite(of: $0, scenario: result.scenario, facts) }
        if let failures = result.failures {
            suites.append(
                Suite(
                    name: result.scenario,
                    seconds: 0,
                    cases: failures.map { Case(name: "run", outcome: .error($0)) },
                    properties: facts
                )
            )
        }
        return document(suites)
    }

    static func facts(of host: HostEnvironment, seed: UInt64) -> [Property] {
        host.versions.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
            + [(name: "seed", value: String(seed))]
    }

    // MARK: Suites

    typealias Property = (name: String, value: String)

    struct Suite {
        var name: String
        var seconds: Double
        var cases: [Case]
        var properties: [Property]
    }

    /// A test case.
    package struct Case {
        package enum Outcome {
            case passed
            case failure(String, String)
            case error(String)
            case skipped(String)
        }

        var name: String
        var outcome: Outcome
        var output: String?

        package init(name: String, outcome: Outcome, output: String? = nil) {
            self.name = name
            self.outcome = outcome
            self.output = output
        }
    }

    /// Returns a document with one test suite, ending with a line feed.
    package static func text(suite: String, seconds: Double, _ cases: [Case]) -> String {
        document([Suite(name: suite, seconds: seconds, cases: cases, properties: [])])
    }

    private static func suite(
        of run: ArmResult,
        scenario: String,
        _ facts: [Property]
    ) -> Suite {
        var cases = [
            Case(
                name: "run",
                outcome: outcome(of: run),
                output: ([TextReport.verdict(of: run, scenario: scenario)] + measurements(of: run))
                    .joined(separator: "\n")
            )
        ]
        cases += run.thresholds.map { threshold in
            Case(
                name: "\(threshold.metric) \(threshold.expression)",
                outcome: outcome(of: threshold, in: run),
                output: observed(threshold, in: run)
            )
        }
        cases += run.invariants.map { invariant in
            let outcome: Case.Outcome =
                switch invariant.passed {
                case true?: .passed
                case false?: .failure("invariant", invariant.detail)
                case nil: .skipped(invariant.detail)
                }
            return Case(name: "invariant \(invariant.name)", outcome: outcome)
        }
        let settings = run.journalSettings.map { [(name: run.arm, value: $0)] } ?? []
        return Suite(
            name: "\(scenario) on \(run.arm)",
            seconds: run.duration,
            cases: cases,
            properties: settings + facts
        )
    }

    private static func outcome(of run: ArmResult) -> Case.Outcome {
        if let failures = run.failures, !failures.isEmpty {
            return .error(failures.joined(separator: "; "))
        }
        if let aborted = run.aborted { return .failure("aborted", aborted.sentence) }
        if run.partial { return .error("stopped early") }
        if !run.valid {
            return .error(run.invalidReason ?? "the generator was the bottleneck")
        }
        return .passed
    }

    /// Returns a line for each client with its counts and its response times.
    private static func measurements(of run: ArmResult) -> [String] {
        run.clients.sorted { $0.key < $1.key }.map { name, client in
            var parts = ["\(HumanUnits.exact(client.completed)) completed"]
            if client.errorCount > 0 {
                parts.append("\(HumanUnits.exact(client.errorCount)) failed")
            }
            if let throughput = client.throughput { parts.append(ReportUnits.rate(throughput)) }
            for (title, value) in [
                ("p50", client.response?.p50), ("p99", client.response?.p99),
                ("max", client.response?.max),
            ] {
                if let value { parts.append("\(title) \(ReportUnits.time(value))") }
            }
            return "\(name): " + parts.joined(separator: ", ")
        }
    }

    /// Returns the observed value of a threshold.
    ///
    /// With too few samples, the highest known percentile or the maximum shows why a threshold was
    /// met or missed.
    private static func observed(_ threshold: ThresholdResult, in run: ArmResult) -> String? {
        if let value = threshold.observed {
            return "observed " + threshold.text(of: value)
        }
        let count = UInt64(run.sampleCount(of: threshold.metric) ?? 0)
        guard count > 0 else { return "no samples" }
        let aggregate = String(threshold.expression.prefix { !"<>= ".contains($0) })
        let reason =
            "\(HumanUnits.exact(count)) samples are too few for \(aggregate)"
        let known = (["max"] + MetricCatalog.percentiles.reversed().map { "p(\($0))" }).lazy
            .compactMap { name in
                run.value(of: threshold.metric, name).flatMap { value in
                    MetricCatalog.unit(of: threshold.metric, name).map {
                        "\(name) \($0.text(value))"
                    }
                }
            }
        // The maximum shows that a limit was met, and a percentile that it was missed.
        let shown = threshold.passed == false ? known.first { !$0.hasPrefix("max") } : known.first
        return shown.map { "observed \($0) (\(reason))" } ?? reason
    }

    private static func outcome(of threshold: ThresholdResult, in run: ArmResult) -> Case.Outcome {
        switch threshold.passed {
        case true?: return .passed
        case false?:
            return .failure("threshold", observed(threshold, in: run) ?? "too few samples")
        case nil:
            guard threshold.undecided == true else {
                return .skipped("this arm cannot run the client")
            }
            let advice = threshold.decidingSeconds.map {
                "; to collect enough samples, use --duration \(Int($0))s"
            }
            return .failure("undecided", "too few samples" + (advice ?? ""))
        }
    }

    // MARK: XML

    static func document(_ suites: [Suite]) -> String {
        let cases = suites.flatMap(\.cases)
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<testsuites name=\"poolgauge\"\(counts(cases))>",
        ]
        for suite in suites {
            lines.append(
                "  <testsuite name=\"\(Escaping.xml(suite.name))\"\(counts(suite.cases)) "
                    + "time=\"\(suite.seconds.rounded(toDigits: 3))\">"
            )
            lines.append("    <properties>")
            lines += suite.properties.map { name, value in
                "      <property name=\"\(Escaping.xml(name))\" value=\"\(Escaping.xml(value))\"/>"
            }
            lines.append("    </properties>")
            for item in suite.cases {
                lines += self.lines(of: item, in: suite.name)
            }
            lines.append("  </testsuite>")
        }
        lines.append("</testsuites>")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func counts(_ cases: [Case]) -> String {
        var (failures, errors, skipped) = (0, 0, 0)
        for item in cases {
            switch item.outcome {
            case .passed: break
            case .failure: failures += 1
            case .error: errors += 1
            case .skipped: skipped += 1
            }
        }
        return " tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\" "
            + "skipped=\"\(skipped)\""
    }

    private static func lines(of item: Case, in suite: String) -> [String] {
        let head =
            "    <testcase classname=\"\(Escaping.xml(suite))\" name=\"\(Escaping.xml(item.name))\""
        var inner: [String] = []
        switch item.outcome {
        case .passed: break
        case .failure(let type, let message):
            inner.append("<failure type=\"\(type)\" message=\"\(Escaping.xml(message))\"/>")
        case .error(let message):
            inner.append("<error type=\"run\" message=\"\(Escaping.xml(message))\"/>")
        case .skipped(let message):
            inner.append("<skipped message=\"\(Escaping.xml(message))\"/>")
        }
        if let output = item.output {
            inner.append("<system-out>\(Escaping.xml(output))</system-out>")
        }
        guard !inner.isEmpty else { return [head + "/>"] }
        return [head + ">"] + inner.map { "      " + $0 } + ["    </testcase>"]
    }
}
