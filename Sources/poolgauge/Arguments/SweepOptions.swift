import ArgumentParser
import WorkloadEngine

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
