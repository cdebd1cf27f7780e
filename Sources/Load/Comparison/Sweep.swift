import Foundation
import Scenarios
import Text

/// A variable and its values, such as `readers=1,2,4,8`.
package struct Sweep: Sendable, Equatable {
    /// A setting that a sweep varies.
    package enum Variable: Sendable, Equatable {
        /// The maximum number of readers (`maximumReaderCount`) of every pool.
        case readers
        /// The share of the accesses that write, from 0 to 1.
        case writeShare
        /// The hold time of clients with `hold`.
        case hold
        /// The total number of arrivals per second.
        case rate
        /// The number of workers of every client that accesses the database.
        case workers
        /// The journal mode of every arm that can choose one.
        case journal
        /// A value of the scenario's file, with its path, such as `clients.ui.hold`.
        case setting(String)

        /// The variables with names of their own.
        static let named: [Variable] = [.readers, .writeShare, .hold, .rate, .workers, .journal]

        /// Returns whether a variable has the name on the command line.
        package static func isKnown(_ name: String) -> Bool { named.contains { $0.name == name } }

        /// The name on the command line.
        package var name: String {
            switch self {
            case .readers: "readers"
            case .writeShare: "write-share"
            case .hold: "hold"
            case .rate: "rate"
            case .workers: "workers"
            case .journal: "journal"
            case .setting(let path): path
            }
        }
    }

    /// A value of a variable.
    package struct Value: Sendable, Equatable {
        /// The value as text, such as `20ms`.
        package var text: String
        /// The value as a count, a share from 0 to 1, a rate in accesses/s, or a time in
        /// nanoseconds.
        ///
        /// The number is 0 for a journal mode and for a value of the scenario's file.
        package var number: Double
    }

    /// The error for an invalid sweep.
    package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The problem and the expected form.
        package var description: String
    }

    /// The variable.
    package let variable: Variable
    /// The values, in the given order.
    package let values: [Value]

    static let defaultPointCount = 5
    static let maximumValueCount = 40

    /// Parses `name=values`, where `values` contains values and ranges, separated by commas.
    ///
    /// A range is `from..to` or `from..to/points`. By default, each count in a range is twice the
    /// previous count. Other ranges have five points by default, with equal steps between shares
    /// and equal ratios between times or rates. Journal modes and values of the scenario's file have
    /// no ranges.
    ///
    /// - Throws: ``Failure``, which suggests the nearest valid name.
    package init(_ text: String) throws(Failure) {
        guard let sign = text.firstIndex(of: "=") else {
            throw Failure(
                description: "'\(text)' has no '='; write name=values, such as readers=1,2,4,8"
            )
        }
        let name = text[..<sign].filter { !$0.isWhitespace }
        let variable: Variable
        if let named = Variable.named.first(where: { $0.name == name }) {
            variable = named
        } else if name.contains(".") {
            variable = .setting(name)
        } else {
            throw Failure(
                description: "'\(name)' in '\(text)' cannot be swept"
                    + NearestName.hint(name, among: Variable.named.map(\.name))
                    + "; a value of the scenario needs its path, such as clients.ui.hold"
            )
        }
        self.variable = variable
        var values: [Value] = []
        let parts = text[text.index(after: sign)...].split(
            separator: ",",
            omittingEmptySubsequences: false
        )
        for part in parts {
            let trimmed = String(part.filter { !$0.isWhitespace })
            guard !trimmed.isEmpty else {
                throw Failure(
                    description: "'\(text)' lacks a value; specify, for example, "
                        + variable.example
                )
            }
            values += try Self.values(of: trimmed, variable)
        }
        for (index, value) in values.enumerated() where values[..<index].contains(value) {
            throw Failure(description: "'\(text)' lists \(value.text) twice")
        }
        guard values.count <= Self.maximumValueCount else {
            throw Failure(
                description: "'\(text)' has \(values.count) values; the maximum is "
                    + "\(Self.maximumValueCount)"
            )
        }
        self.values = values
    }

    /// The values as whole numbers, for a sweep whose values are counts.
    package var counts: [Int] { values.map { Int($0.number) } }

    // MARK: Reading

    private static func values(
        of text: String,
        _ variable: Variable
    ) throws(Failure) -> [Value] {
        guard variable.hasRanges, let dots = text.firstRange(of: "..") else {
            return [try variable.value(text)]
        }
        let rest = text[dots.upperBound...]
        let slash = rest.firstIndex(of: "/").flatMap { index in
            // A rate contains a slash: 10/s..100/s/5.
            variable == .rate ? rest.lastIndex(of: "/") : index
        }
        var points: Int?
        var end = String(rest)
        if let slash, Int(rest[rest.index(after: slash)...]) != nil || variable != .rate {
            let count = rest[rest.index(after: slash)...]
            guard let number = Int(count), (2...maximumValueCount).contains(number) else {
                throw Failure(
                    description: "'\(count)' in '\(text)' is not a number of points; write 2 to "
                        + "\(maximumValueCount)"
                )
            }
            points = number
            end = String(rest[..<slash])
        }
        let first = try variable.value(String(text[..<dots.lowerBound]))
        let last = try variable.value(end)
        guard first.number < last.number else {
            throw Failure(description: "the range '\(text)' must start with the smaller value")
        }
        return variable.range(from: first.number, to: last.number, points: points)
    }
}

extension Sweep.Variable {
    /// An example of a sweep of the variable.
    package var example: String {
        switch self {
        case .readers: "readers=1,2,4,8"
        case .writeShare: "write-share=0..0.5"
        case .hold: "hold=5ms,20ms,80ms"
        case .rate: "rate=50/s,100/s,200/s"
        case .workers: "workers=1..16"
        case .journal: "journal=delete,truncate,wal"
        case .setting(let path): "\(path)=1,2,4"
        }
    }

    fileprivate var hasRanges: Bool {
        switch self {
        case .readers, .writeShare, .hold, .rate, .workers: true
        case .journal, .setting: false
        }
    }

    private var exampleText: String { "specify, for example, \(example)" }

    fileprivate func value(_ text: String) throws(Sweep.Failure) -> Sweep.Value {
        func fail(_ problem: String) -> Sweep.Failure {
            Sweep.Failure(description: "\(name): \(problem)")
        }
        do {
            switch self {
            case .readers, .workers:
                guard let number = Int(text), (1...1000).contains(number) else {
                    throw fail("'\(text)' is not a whole number from 1 to 1000; \(exampleText)")
                }
                return self.value(Double(number))
            case .writeShare:
                let share = text.hasSuffix("%") ? try Quantity.share(text) : Double(text)
                guard let share, (0...1).contains(share) else {
                    throw fail("'\(text)' is not a share from 0 to 1; \(exampleText)")
                }
                return self.value(share)
            case .hold:
                return self.value(Double(try Quantity.duration(text).nanoseconds))
            case .rate:
                let rate = try Double(text) ?? Quantity.rate(text)
                guard rate > 0, rate <= 1e6 else {
                    throw fail("'\(text)' is not a rate above 0 and up to 1e6/s; \(exampleText)")
                }
                return self.value(rate)
            case .journal:
                guard Arm.Journal(rawValue: text) != nil else {
                    let known = Arm.Journal.allCases.map(\.rawValue)
                    throw fail(
                        "'\(text)' is not a journal mode" + NearestName.hint(text, among: known)
                    )
                }
                return Sweep.Value(text: text, number: 0)
            case .setting: return Sweep.Value(text: text, number: 0)
            }
        } catch let failure as Sweep.Failure {
            throw failure
        } catch {
            throw fail("\(error)")
        }
    }

    fileprivate func value(_ number: Double) -> Sweep.Value {
        switch self {
        case .readers, .workers:
            return Sweep.Value(text: String(Int(number)), number: number)
        case .writeShare:
            let share = number.rounded(toDigits: 4)
            return Sweep.Value(text: ReportUnits.unitless(share), number: share)
        case .hold:
            // Round to microseconds, because their text has no exponent.
            let time = (number / 1e3).rounded() * 1e3
            let text =
                switch time {
                case ..<1e6: "\(ReportUnits.unitless(time / 1e3))us"
                case ..<1e9: "\(ReportUnits.unitless(time / 1e6))ms"
                default: "\(ReportUnits.unitless(time / 1e9))s"
                }
            return Sweep.Value(text: text, number: time)
        case .rate:
            let rate = number.rounded(toDigits: 2)
            return Sweep.Value(text: "\(ReportUnits.unitless(rate))/s", number: rate)
        case .journal, .setting: return Sweep.Value(text: "", number: number)
        }
    }

    fileprivate func range(from first: Double, to last: Double, points: Int?) -> [Sweep.Value] {
        switch self {
        case .readers, .workers:
            if let points {
                let all = Sweep.steps(from: first, to: last, points: points, inRatios: false).map {
                    $0.rounded()
                }
                return all.reduce(into: []) { if $0.last != $1 { $0.append($1) } }.map { value($0) }
            }
            var values: [Double] = []
            var next = first
            while next < last {
                values.append(next)
                next *= 2
            }
            return (values + [last]).map { value($0) }
        case .writeShare:
            return Sweep.steps(
                from: first,
                to: last,
                points: points ?? Sweep.defaultPointCount,
                inRatios: false
            )
            .map { value($0) }
        case .hold, .rate:
            return Sweep.steps(
                from: first,
                to: last,
                points: points ?? Sweep.defaultPointCount,
                inRatios: first > 0
            )
            .map { value($0) }
        case .journal, .setting: return []
        }
    }
}

extension Sweep {
    fileprivate static func steps(
        from first: Double,
        to last: Double,
        points: Int,
        inRatios: Bool
    ) -> [Double] {
        (0..<points).map { index in
            let share = Double(index) / Double(points - 1)
            return inRatios ? first * pow(last / first, share) : first + (last - first) * share
        }
    }
}

/// The runs of a comparison that varies a setting.
///
/// With two arms, the comparison judges the second arm against the first at each value. With one
/// arm, it judges the arm at each value against the same arm at the first value.
package struct ComparisonSweep: Sendable {
    /// An arm at one of the values.
    struct Variant: Sendable {
        /// The arm, with the value in its name, such as `pool, readers 4`.
        var arm: Arm
        /// The scenario with the value.
        var scenario: Scenario
    }

    /// The varied setting and its values.
    package let sweep: Sweep
    /// The names of the one or two arms, with the baseline arm first.
    package let arms: [String]
    /// The arms at each value, in the order of the values and then of the arms.
    let variants: [Variant]

    /// Creates the runs.
    ///
    /// - Parameters:
    ///   - sweep: The setting and its values.
    ///   - scenario: The scenario.
    ///   - arms: The names of one or two arms.
    ///   - reload: A function that decodes the scenario's file again with a changed value.
    /// - Throws: `RunError` or `ScenarioError` if the arms or values do not fit the scenario. The
    ///   message contains valid values.
    package init(
        _ sweep: Sweep,
        of scenario: Scenario,
        arms: [String],
        reload: (Scenario.Setting) throws -> Scenario
    ) throws {
        self.sweep = sweep
        self.arms = arms
        guard sweep.values.count > 1 else {
            throw RunError(
                .scenario,
                "--sweep needs several values, such as \(sweep.variable.example)"
            )
        }
        guard (1...2).contains(arms.count), Set(arms).count == arms.count else {
            throw RunError(
                .scenario,
                "--sweep compares two different arms, or one arm with itself; specify them with "
                    + "--arms: \(scenario.arms.map(\.name).joined(separator: ", "))"
            )
        }
        var base = scenario
        base.arms = try arms.map { try scenario.arm(named: $0) }
        variants = try sweep.values.flatMap { value in
            let changed = try base.with(value, of: sweep.variable, reload: reload)
            return try arms.map { name in
                var arm = try changed.arm(named: name)
                arm.name = Self.name(of: name, sweep, value: value)
                var scenario = changed
                scenario.arms = [arm]
                return Variant(arm: arm, scenario: scenario)
            }
        }
    }

    private static func name(of arm: String, _ sweep: Sweep, value: Sweep.Value) -> String {
        "\(arm), \(sweep.variable.name) \(value.text)"
    }

    /// The values with the names of the arms that they compare.
    var rows: [SweepSummary.Row] {
        sweep.values.enumerated().map { index, value in
            let names = arms.map { Self.name(of: $0, sweep, value: value) }
            let first = variants.first?.arm.name
            return SweepSummary.Row(
                value: value.text,
                a: names.count > 1 ? names.first : index > 0 ? first : nil,
                b: names.last ?? ""
            )
        }
    }

    var pairs: [ComparisonPlan.Pair] {
        rows.compactMap { row in row.a.map { ComparisonPlan.Pair(a: $0, b: row.b) } }
    }
}

/// The values of a sweep in the result of a comparison.
public struct SweepSummary: Sendable, Codable, Equatable {
    /// The varied setting, such as `readers`.
    public var variable: String
    /// The names of the one or two arms, with the baseline arm first.
    public var arms: [String]
    /// The number of blocks that the time limit was meant for.
    public var plannedBlocks: Int
    /// The values, in order.
    public var rows: [Row]

    /// A value with the arms that it compares.
    public struct Row: Sendable, Codable, Equatable {
        /// The value, such as `20ms`.
        public var value: String
        /// The baseline, as named in ``ComparisonResult/arms``, or `nil` if the row is the baseline.
        public var a: String?
        /// The arm to compare with the baseline.
        public var b: String
    }
}

extension SweepSummary.Row {
    /// The row's comparison of a metric, or `nil` if the row is the baseline.
    package func pair(_ metric: String, in result: ComparisonResult) -> ComparisonPair? {
        a.flatMap { result.pair(metric, of: b, against: $0) }
    }
}
