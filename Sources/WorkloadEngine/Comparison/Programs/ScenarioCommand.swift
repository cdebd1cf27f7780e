import Foundation
import Text

/// The command line of a program that runs scenarios on its own target.
///
/// Use the program with `poolgauge compare --binary` to compare two builds.
///
/// ```swift
/// await ScenarioCommand(factory: StoreFactory(), versions: ["store": "1.2"]).main()
/// ```
///
/// The program accepts `run SCENARIO --arm NAME --seed N --database FILE --format json`, and writes
/// the result (`poolgauge.run/1`) to standard output. The program runs on a copy of the database.
public struct ScenarioCommand: Sendable {
    private let factory: any WorkloadTargetFactory
    private let versions: [String: String]

    /// Creates the command line.
    ///
    /// - Parameters:
    ///   - factory: The factory of the program's target.
    ///   - versions: The versions of the program and its libraries, for reports.
    public init(factory: any WorkloadTargetFactory, versions: [String: String] = [:]) {
        self.factory = factory
        self.versions = versions
    }

    /// The error for invalid arguments.
    public struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The problem and the expected arguments.
        public var description: String

        init(_ problem: String) {
            description =
                "\(problem); usage: run SCENARIO [--arm NAME] [--seed N] [--scale N] [--readers N] "
                + "[--database FILE] [--format json]"
        }
    }

    /// Runs the command of this process, writes the result or the error, and ends the process.
    ///
    /// The exit statuses match those of `poolgauge run`.
    public func main() async -> Never {
        do {
            let result = try await run(Array(CommandLine.arguments.dropFirst()))
            try FileHandle.standardOutput.write(contentsOf: Data(JSONReport.text(of: result).utf8))
            exit(result.exitStatus.rawValue)
        } catch {
            let isUsage =
                error is UsageError || error is ScenarioError
                || (error as? RunError)?.code == .scenario
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(isUsage ? 64 : ExitStatus.failed.rawValue)
        }
    }

    /// Runs a scenario.
    ///
    /// - Parameter arguments: The arguments, without the program's name.
    /// - Returns: The result of the arm that `--arm` specifies, or of the first arm.
    /// - Throws: ``UsageError``, ``ScenarioError``, or ``RunError``.
    public func run(_ arguments: [String]) async throws -> RunResult {
        let (path, values) = try parse(arguments)
        var scenario = try Scenario.load(nameOrPath: path)
        if let scale = try number("--scale", in: values) as Int? {
            scenario = try scenario.with(scale: scale)
        }
        if let seed = try number("--seed", in: values) as UInt64? {
            scenario = scenario.with(seed: seed)
        }
        if let readers = try number("--readers", in: values) as Int? {
            scenario = try scenario.with(readers: readers)
        }
        let name = values["--arm"] ?? scenario.arms.first?.name ?? ""
        guard let arm = scenario.arms.first(where: { $0.name == name }) else {
            throw UsageError(
                "\(scenario.name) has no arm '\(name)'"
                    + NearestName.hint(name, among: scenario.arms.map(\.name))
            )
        }
        var options = RunOptions()
        if let database = values["--database"] {
            options.database = .copy(of: URL(fileURLWithPath: database))
        }
        let environment = HostEnvironment(
            in: options.folder,
            scenario: scenario,
            versions: versions
        )
        let run = WorkloadRun(
            scenario: scenario,
            arm: arm,
            factory: FileCopyFactory(factory: factory),
            options: options
        )
        return RunResult(scenario: scenario, environment: environment, runs: [try await run.run()])
    }

    // MARK: Arguments

    private static let options: Set = [
        "--arm", "--seed", "--scale", "--readers", "--database", "--format",
    ]

    private func parse(
        _ arguments: [String]
    ) throws(UsageError) -> (scenario: String, values: [String: String]) {
        var rest = arguments[...]
        guard rest.popFirst() == "run" else { throw UsageError("the first argument must be 'run'") }
        var scenario: String?
        var values: [String: String] = [:]
        while let argument = rest.popFirst() {
            if argument.hasPrefix("--") {
                guard Self.options.contains(argument) else {
                    throw UsageError("unknown option '\(argument)'")
                }
                guard let value = rest.popFirst() else {
                    throw UsageError("'\(argument)' needs a value")
                }
                values[argument] = value
            } else if scenario == nil {
                scenario = argument
            } else {
                throw UsageError("unexpected argument '\(argument)'")
            }
        }
        guard let scenario else { throw UsageError("the path of a scenario is missing") }
        guard values["--format", default: "json"] == "json" else {
            throw UsageError("the only format is json")
        }
        return (scenario, values)
    }

    private func number<Value: FixedWidthInteger>(
        _ option: String,
        in values: [String: String]
    ) throws(UsageError) -> Value? {
        guard let text = values[option] else { return nil }
        guard let value = Value(text) else {
            throw UsageError("'\(option) \(text)' is not a whole number")
        }
        return value
    }
}

/// A factory that copies databases as files, which is safe because the databases are not open.
private struct FileCopyFactory: WorkloadTargetFactory {
    let factory: any WorkloadTargetFactory

    func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
        try factory.open(arm, at: path)
    }

    func copyDatabase(
        at source: String,
        to path: String,
        progress: (Double) throws -> Void
    ) throws {
        try FileManager.default.copyItem(atPath: source, toPath: path)
    }

    func journalMode(ofDatabaseAt path: String) throws -> Arm.Journal? {
        try factory.journalMode(ofDatabaseAt: path)
    }

    func failure(of error: any Error) -> WorkloadFailure { factory.failure(of: error) }
}
