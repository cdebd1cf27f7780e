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
    /// - Throws: ``RunError`` or ``ScenarioError`` if the arms or values do not fit the scenario. The
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
                arm.name = Self.name(of: name, sweep, value)
                var scenario = changed
                scenario.arms = [arm]
                return Variant(arm: arm, scenario: scenario)
            }
        }
    }

    private static func name(of arm: String, _ sweep: Sweep, _ value: Sweep.Value) -> String {
        "\(arm), \(sweep.variable.name) \(value.text)"
    }

    /// The values with the names of the arms that they compare.
    var rows: [SweepSummary.Row] {
        sweep.values.enumerated().map { index, value in
            let names = arms.map { Self.name(of: $0, sweep, value) }
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
