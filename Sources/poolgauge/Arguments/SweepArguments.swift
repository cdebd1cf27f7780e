import ArgumentParser
import Comparison
import Scenarios
import Telemetry

/// A variable and its values, such as `readers=1,2,4,8`.
struct SweepArgument {
    var sweep: Sweep

    static func parse(_ text: String) throws -> SweepArgument {
        do { return SweepArgument(sweep: try Sweep(text)) } catch {
            throw ValidationError(String(describing: error))
        }
    }

    /// Parses a sweep of readers.
    ///
    /// If the text specifies a different variable, the error says so, even if the values are also
    /// invalid.
    static func parseReaders(_ text: String) throws -> SweepArgument {
        let name = text.prefix { $0 != "=" }.filter { !$0.isWhitespace }
        let readers = Sweep.Variable.readers
        guard text.contains("="), name != readers.name else { return try parse(text) }
        let isOther = Sweep.Variable.isKnown(name)
        throw ValidationError(
            "--sweep accepts only readers, such as \(readers.example), not '\(name)'"
                + (isOther ? "; to vary \(name), use 'poolgauge compare --sweep'" : "")
        )
    }
}

/// A number of arrivals per second, such as `200/s` or `200`.
struct RateArgument {
    var perSecond: Double

    static func parse(_ text: String) throws -> RateArgument {
        let rate: Double
        do { rate = try Double(text) ?? Quantity.rate(text) } catch {
            throw ValidationError(String(describing: error))
        }
        guard rate > 0, rate <= 1e6 else {
            throw ValidationError("'\(text)' must be greater than 0 and at most 1000000 per second")
        }
        return RateArgument(perSecond: rate)
    }
}

extension NameSpecification {
    /// The names `--arms` and `--arm`.
    static var arms: Self { [.customLong("arms"), .customLong("arm")] }
}

/// Names separated by commas.
struct NamesArgument {
    var names: [String]

    static func parse(_ text: String) throws -> NamesArgument {
        let names = text.split(separator: ",").map { part in
            let start = part.drop(while: \.isWhitespace)
            return String(start.reversed().drop(while: \.isWhitespace).reversed())
        }.filter { !$0.isEmpty }
        guard !names.isEmpty else { throw ValidationError("'\(text)' contains no names") }
        return NamesArgument(names: names)
    }
}

/// The options that change a scenario, other than the option for its duration.
struct VariantOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A factor for the amount of data; at 1, presets have 100,000 accounts, 1,000 records, "
                + "or 10,000 rows."
        ),
        transform: NumberArgument.positive
    )
    var scale: Int?

    @Option(help: "The seed for all random numbers.", transform: NumberArgument.seed)
    var seed: UInt64?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Override a value in the scenario, such as clients.ui.arrival.rate=500/s; can be "
                + "repeated.",
            valueName: "path=value"
        ),
        transform: SettingArgument.parse
    )
    var settings: [SettingArgument] = []

    @Flag(
        help: "Run the commands of the scenario's drivers even if other users can change its file."
    )
    var allowCommands = false

    func load(_ nameOrPath: String) throws -> Scenario {
        try apply(to: Scenario.load(nameOrPath: nameOrPath))
    }

    /// Applies the options, and then `addition`, if any, as another `--set`.
    func apply(to scenario: Scenario, adding addition: Scenario.Setting? = nil) throws -> Scenario {
        var scenario = try scenario.with(settings.map(\.setting) + [addition].compactMap { $0 })
        if let scale { scenario = try scenario.with(scale: scale) }
        if let seed { scenario = scenario.with(seed: seed) }
        if allowCommands { scenario.allowCommands() }
        return scenario
    }
}

extension Scenario {
    /// Returns the arms with the given names.
    ///
    /// If `names` is `nil`, returns `queue`, `queue-wal`, and `pool`. Comparing these arms
    /// separates the effect of a pool from the effect of the write-ahead log. If the scenario has
    /// fewer than two of these arms, returns the scenario's default arms.
    func arms(toCompare names: [String]?) throws -> [Arm] {
        if let names { return try arms(named: names) }
        let usualArms = defaultArms.filter { ["queue", "queue-wal", "pool"].contains($0.name) }
        return usualArms.count > 1 ? usualArms : try arms(named: [])
    }

    /// Parses a threshold of the form `metric: limit`.
    func threshold(_ text: String) throws -> Threshold {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
            throw CommandFailure(
                "--threshold: '\(text)' is not a threshold; specify a metric and a limit, such as "
                    + "'ui.response: p(99) < 50ms'"
            )
        }
        let metric = text[..<colon].filter { !$0.isWhitespace }
        let expression = text[text.index(after: colon)...].drop(while: \.isWhitespace)
        do {
            return try Threshold(
                metric: metric,
                expression: String(expression),
                in: MetricCatalog(clients: clients.map(\.name))
            )
        } catch {
            throw CommandFailure("--threshold: \(error)")
        }
    }
}

extension Duration {
    /// The duration in seconds, in minutes and seconds, or in hours, such as `2 min 5 s`.
    var abbreviatedText: String {
        let seconds = Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0)
        switch seconds {
        case ..<100: return "\(max(1, seconds)) s"
        case ..<5_400:
            let minutes = seconds / 60
            let remainingSeconds = seconds % 60
            return remainingSeconds == 0 ? "\(minutes) min" : "\(minutes) min \(remainingSeconds) s"
        default: return "\((seconds + 1_800) / 3_600) h"
        }
    }
}

/// The options for comparing arms at the values of a setting.
struct SweepOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A setting to vary, and its values: readers, workers, rate, hold, write-share, "
                + "journal, or the path of a value in the scenario. With two --arms, compares the "
                + "second with the first at each value; with one, compares each value with the "
                + "first value.",
            valueName: "name=values"
        ),
        transform: SweepArgument.parse
    )
    var sweep: SweepArgument?

    @Option(
        help: "With --sweep: the time limit for all runs; 10m by default.",
        transform: TimeArgument.parse
    )
    var within: TimeArgument?

    func validate() throws {
        if within != nil, sweep == nil {
            throw ValidationError(
                "--within requires --sweep; to shorten a comparison, use --duration"
            )
        }
    }

    /// Throws an error if another option cannot be combined with `--sweep`.
    func check(_ format: ReportFormat, failIf: [String]) throws {
        guard sweep != nil else { return }
        if !failIf.isEmpty || format == .junit {
            throw ValidationError(
                "--sweep cannot be combined with \(failIf.isEmpty ? "--format junit" : "--fail-if"), "
                    + "because a sweep has no conditions"
            )
        }
    }

    /// The time limit for all runs.
    var limit: Duration { within?.duration ?? .seconds(600) }

    func announcement(of schedule: SweepSchedule) -> String {
        "\(schedule.runs) runs of \(schedule.duration.lengthText) in \(schedule.blocks) blocks: this "
            + "takes about \(schedule.time.abbreviatedText), at most \(limit.abbreviatedText) "
            + "(--within)"
    }

    /// Creates the runs, or returns `nil` without `--sweep`.
    ///
    /// - Parameters:
    ///   - scenario: The scenario with all changes.
    ///   - arms: The names of the arms, or `nil` for the first queue and the first pool.
    ///   - reload: A function that decodes the scenario's file again with a changed value.
    /// - Returns: The sweep, or `nil` without `--sweep`.
    /// - Throws: An error that names the value that cannot be used.
    func comparison(
        of scenario: Scenario,
        arms: [String]?,
        reload: (Scenario.Setting) throws -> Scenario
    ) throws -> ComparisonSweep? {
        guard let sweep else { return nil }
        return try ComparisonSweep(
            sweep.sweep,
            of: scenario,
            arms: try arms ?? Self.usualArms(of: scenario)
        ) { setting in
            do { return try reload(setting) } catch let error as ScenarioError {
                // The option that the user wrote is another one.
                throw CommandFailure(error.description.replacing("--set '", with: "--sweep '"))
            }
        }
    }

    private static func usualArms(of scenario: Scenario) throws -> [String] {
        let arms = try scenario.arms(named: []).filter { $0.library != .raw }
        let usual = [Arm.Kind.queue, .pool].compactMap { kind in
            arms.first { $0.kind == kind }?.name
        }
        guard usual.isEmpty else { return usual }
        throw CommandFailure(
            "\(scenario.name) has neither a queue nor a pool; specify one or two of these arms with "
                + "--arms: \(scenario.arms.map(\.name).joined(separator: ", "))"
        )
    }
}
