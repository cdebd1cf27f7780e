import ArgumentParser
import Foundation
import WorkloadEngine

/// The options for comparing two programs instead of two arms.
struct ProgramOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The path of another poolgauge executable to compare with the one that you are "
                + "running, such as a build of an earlier version. Both run the same arm; the "
                + "other program is the baseline.",
            valueName: "program"
        ),
        completion: .file()
    )
    var against: String?

    @Option(
        name: .customLong("against-name"),
        help: ArgumentHelp(
            "With --against: the name of the other program in the report.",
            valueName: "name"
        )
    )
    var againstName: String?

    @Option(
        help: ArgumentHelp(
            "With --against: the program to test instead of this one, such as a build of your "
                + "own program that embeds WorkloadEngine.",
            valueName: "program"
        ),
        completion: .file()
    )
    var binary: String?

    @Option(help: "With --against: the arm that both programs run.")
    var arm: String?

    private static let testedName = "this"
    private static let baselineName = "baseline"

    func validate() throws {
        guard against == nil else {
            let name = againstName ?? Self.baselineName
            let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || "-_./+@".contains($0) }
            guard isPlain, !name.isEmpty else {
                throw ValidationError(
                    "--against-name: '\(name)' must contain only letters, digits, and -_./+@"
                )
            }
            guard name != Self.testedName else {
                throw ValidationError(
                    "--against-name: '\(name)' is reserved for the program under test; choose "
                        + "another name"
                )
            }
            return
        }
        for (option, value) in [("--against-name", againstName), ("--binary", binary)]
        where value != nil {
            throw ValidationError("\(option) requires --against")
        }
        guard arm == nil else {
            throw ValidationError(
                "--arm requires --against; to compare the arms of one program, use --arms"
            )
        }
    }

    /// Finds the programs to compare.
    ///
    /// - Parameters:
    ///   - scenario: The scenario.
    ///   - changes: The options that change the scenario.
    ///   - arms: The value of `--arms`, which cannot be combined with `--against`.
    /// - Returns: The programs, or `nil` without `--against`.
    /// - Throws: ``CommandFailure`` if a program is not found or no arm was specified.
    func programs(
        for scenario: Scenario,
        _ changes: ScenarioOptions,
        arms: NamesArgument?
    ) throws -> ComparedPrograms? {
        guard let against else { return nil }
        guard arms == nil else {
            throw CommandFailure(
                "--arms cannot be combined with --against, which compares two programs that run "
                    + "the same arm; choose the arm with --arm"
            )
        }
        var programs = ComparedPrograms(
            [
                ComparedProgram(
                    name: againstName ?? Self.baselineName,
                    path: try locate(against, of: "--against")
                ),
                ComparedProgram(
                    name: Self.testedName,
                    path: try binary.map { try locate($0, of: "--binary") } ?? ClientProcess.path
                ),
            ],
            arm: try armName(in: scenario)
        )
        programs.hasOwnTarget = binary != nil
        if let scale = changes.changes.scale { programs.arguments += ["--scale", "\(scale)"] }
        if let readers = changes.readers { programs.arguments += ["--readers", "\(readers)"] }
        return programs
    }

    private func locate(_ name: String, of option: String) throws -> String {
        let folders = ProcessInfo.processInfo.environment["PATH"] ?? ""
        do { return try ComparedProgram.locate(name, searching: folders) } catch {
            throw CommandFailure("\(option): \(error)")
        }
    }

    private func armName(in scenario: Scenario) throws -> String {
        if let arm { return try scenario.arm(named: arm).name }
        let names = scenario.arms.map(\.name)
        guard names.count == 1, let name = names.first else {
            throw CommandFailure(
                "both programs run the same arm, but \(scenario.name) has several; choose one "
                    + "with --arm: \(names.joined(separator: ", "))"
            )
        }
        return name
    }
}
