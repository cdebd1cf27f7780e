import ArgumentParser
import Telemetry
import WorkloadEngine

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
