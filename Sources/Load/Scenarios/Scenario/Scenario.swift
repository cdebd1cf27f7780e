import Foundation
import Text
import YAML
import Yams

/// A workload, as described in a YAML file.
public struct Scenario: Sendable, Equatable {
    /// The version of the scenario language, which is 1.
    public var version: Int = 1
    /// The scenario's name.
    public var name: String
    /// The description shown in lists of scenarios.
    public var description: String = ""
    /// The seed for all random choices.
    public var seed: UInt64 = 42
    /// The initial data of each arm.
    public var dataset: Dataset
    /// The arms, in file order.
    public var arms: [Arm]
    /// The phases, in order.
    public var phases: [Phase]
    /// The maximum time to wait for running accesses after the last phase.
    public var drain: Duration = .seconds(2)
    /// The variables that statements use, keyed by name.
    public var variables: [String: Variable] = [:]
    /// The steps of each named statement or transaction, in order, keyed by name.
    public var transactions: [String: [Step]] = [:]
    /// The clients, in file order.
    public var clients: [Client]
    /// The primary metrics of a comparison, such as `ui.response.p99`.
    public var primary: [String] = []
    /// The limits that a run must meet to pass.
    public var thresholds: [Threshold] = []
    /// The names of the predefined invariants.
    public var invariants: [String] = []
    /// The custom invariants.
    public var dataInvariants: [DataInvariant] = []
    /// The text of the file.
    public var source: String = ""
    /// The settings applied after decoding the file, in order.
    package internal(set) var settings: [Setting] = []
    /// The name of the file as given, for messages.
    public var file: String = ""
    /// The sources of the ranges that variables inherit from the dataset, keyed by variable name.
    var inheritedRanges: [String: RangeSource] = [:]
    package var statementPositions = TextPositions()

    /// Creates a scenario.
    public init(
        name: String,
        dataset: Dataset,
        arms: [Arm],
        phases: [Phase],
        clients: [Client]
    ) {
        self.name = name
        self.dataset = dataset
        self.arms = arms
        self.phases = phases
        self.clients = clients
    }

    /// The variables of the dataset and the scenario.
    ///
    /// The scenario's variables take precedence.
    public var allVariables: [String: Variable] {
        dataset.variables.merging(variables) { _, declared in declared }
    }

    /// The arms that run by default.
    ///
    /// GRDB arms are excluded unless all arms use GRDB, because not every program supports GRDB.
    public var defaultArms: [Arm] {
        let others = arms.filter { $0.library != .grdb }
        return others.isEmpty ? arms : others
    }

    /// The total length of the measured phases.
    public var measuredDuration: Duration {
        phases.filter(\.isMeasured).reduce(.zero) { $0 + $1.duration }
    }
}

/// A phase of a run.
public struct Phase: Sendable, Equatable {
    /// The phase's name.
    public var name: String
    /// The length of the phase.
    public var duration: Duration
    /// Whether the results include accesses in the phase.
    public var isMeasured: Bool

    /// Creates a phase.
    public init(name: String, duration: Duration, isMeasured: Bool = true) {
        self.name = name
        self.duration = duration
        self.isMeasured = isMeasured
    }
}

/// A duration or a point in time, either absolute or as a share of the measured time.
public enum TimeSpan: Sendable, Equatable {
    /// A duration.
    case absolute(Duration)
    /// A share of the measured time, from 0 to 1.
    case share(Double)

    /// Returns the duration in a run with the given measured time.
    public func resolved(in measured: Duration) -> Duration {
        switch self {
        case .absolute(let duration): duration
        case .share(let share): measured * share
        }
    }
}

/// The errors in a scenario, with their positions.
public struct ScenarioError: Error, Sendable, Equatable, CustomStringConvertible {
    /// An error in a scenario.
    public typealias Issue = YAMLIssue

    /// The issues, in file order.
    public var issues: [Issue]

    /// Creates an error with at least one issue.
    public init(issues: [Issue]) { self.issues = issues }

    /// The issues, one per line.
    public var description: String {
        issues.map(\.description).joined(separator: "\n")
    }
}

extension YAMLLog {
    func throwIfAny() throws(ScenarioError) {
        if count > 0 { throw ScenarioError(issues: issues) }
    }
}

extension Scenario {
    /// Scales the phases to a measured time.
    ///
    /// Phases that are not measured become shorter by the same factor, but never longer. Times in
    /// percent scale automatically.
    ///
    /// - Throws: ``ScenarioError`` if an absolute time no longer fits, with the time's position
    ///   in the file.
    public func scaled(toMeasured duration: Duration) throws(ScenarioError) -> Scenario {
        guard duration > .zero, let lastMeasured = phases.lastIndex(where: \.isMeasured) else {
            throw ScenarioError(issues: [
                .init(file: file, message: "the duration must be longer than 0")
            ])
        }
        let factor = duration / measuredDuration
        var scaled = self
        var remaining = duration
        for index in phases.indices {
            let current = phases[index].duration
            guard phases[index].isMeasured else {
                scaled.phases[index].duration = min(current, current * factor)
                continue
            }
            // Compensate for rounding in the last measured phase so that the sum is exact.
            let length = index == lastMeasured ? remaining : current * factor
            scaled.phases[index].duration = length
            remaining -= length
        }
        let log = YAMLLog(file: file)
        for client in clients {
            MeasuredTimeCheck(measured: duration).check(client) { key, problem in
                log.add(
                    "'\(key)' of client '\(client.name)' \(problem)",
                    at: mark(of: key, ofClient: client.name)
                )
            }
        }
        try log.throwIfAny()
        return scaled
    }

    /// Returns the scenario with a different dataset scale.
    ///
    /// The ranges of the dataset's variables change accordingly, as do ranges that other
    /// variables inherit.
    ///
    /// - Throws: ``ScenarioError`` if the scale is invalid or the dataset has no scale.
    public func with(scale: Int) throws(ScenarioError) -> Scenario {
        guard let scales = dataset.scales else {
            throw ScenarioError(issues: [
                .init(
                    file: file,
                    message: "this dataset has no scale, because it has no generated rows"
                )
            ])
        }
        guard scales.contains(scale) else {
            let message = "the scale must be from 1 to \(scales.upperBound), not \(scale)"
            throw ScenarioError(issues: [.init(file: file, message: message)])
        }
        var changed = self
        changed.dataset = dataset.with(scale: scale)
        let builtIns = changed.dataset.variables
        for (name, source) in inheritedRanges {
            guard let range = source.range(among: builtIns) else { continue }
            changed.variables[name]?.minimum = range.lowerBound
            changed.variables[name]?.maximum = range.upperBound
        }
        return changed
    }

    /// Returns the scenario with a different seed.
    public func with(seed: UInt64) -> Scenario {
        var changed = self
        changed.seed = seed
        return changed
    }

    /// Returns the scenario with the given number of readers in each pool.
    ///
    /// - Throws: ``ScenarioError`` if the number is not in 1…1000.
    public func with(readers: Int) throws(ScenarioError) -> Scenario {
        guard (1...1000).contains(readers) else {
            throw ScenarioError(issues: [
                .init(
                    file: file,
                    message: "the number of readers must be from 1 to 1000, not \(readers)"
                )
            ])
        }
        var changed = self
        for index in arms.indices where arms[index].kind == .pool {
            changed.arms[index].readers = readers
        }
        return changed
    }

    private func mark(of key: String, ofClient client: String) -> Mark? {
        guard case .root(let root) = YAMLLog(file: file).document(source),
            let clients = root.mapping?.first(where: { $0.key.scalar?.string == "clients" }),
            let entry = clients.value.mapping?.first(where: { $0.key.scalar?.string == client })
        else { return nil }
        return entry.value.mapping?.first { $0.key.scalar?.string == key }?.value.mark
    }

    /// Parses a scenario from YAML.
    ///
    /// - Parameters:
    ///   - yaml: The text of the file.
    ///   - file: The name of the file, for messages.
    /// - Returns: The scenario.
    /// - Throws: ``ScenarioError`` with all issues in the file, each with a line and a column.
    public static func parse(yaml: String, file: String) throws(ScenarioError) -> Scenario {
        var decoder = ScenarioDecoder(file: file)
        return try decoder.decode(yaml)
    }

    /// Loads a preset, or a scenario from a file.
    ///
    /// A name with a slash or with the suffix `.yaml` or `.yml` is a path, and `-` is standard
    /// input. Any other name refers to a preset or, if there is no such preset, to a file. The
    /// commands of drivers are allowed if no other user can change the file.
    ///
    /// - Throws: ``ScenarioError`` if the file is missing or invalid.
    public static func load(nameOrPath name: String) throws(ScenarioError) -> Scenario {
        if name == "-" {
            let data = FileHandle.standardInput.readDataToEndOfFile()
            return try parse(yaml: text(of: data, file: "-"), file: "-")
        }
        let isPath = name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml")
        if !isPath, let preset = Presets.named(name) { return try preset.scenario() }
        if !isPath, !FileManager.default.fileExists(atPath: name) {
            throw ScenarioError(issues: [
                .init(
                    file: name,
                    message: "there is no such file or preset"
                        + NearestName.hint(name, among: Presets.all.map(\.name))
                )
            ])
        }
        var isPrivate = false
        var scenario = try parse(yaml: text(ofFile: name, isPrivate: &isPrivate), file: name)
        if isPrivate { scenario.allowCommands() }
        return scenario
    }

    private static func text(
        ofFile path: String,
        isPrivate: inout Bool
    ) throws(ScenarioError) -> String {
        let data: Data
        do {
            // The length of a pipe, such as `/dev/stdin`, is unknown, so read to the end.
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            isPrivate = Self.isPrivate(file.fileDescriptor, at: path)
            data = try file.readToEnd() ?? Data()
        } catch {
            var isDirectory: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            let reason =
                isDirectory.boolValue
                ? "this is a folder; specify a YAML file"
                : exists
                    ? "the file cannot be read; check its permissions"
                    : "there is no such file; check the path, or specify a preset from "
                        + "'poolgauge scenarios list'"
            throw ScenarioError(issues: [.init(file: path, message: reason)])
        }
        return try text(of: data, file: path)
    }

    private static func text(of data: Data, file: String) throws(ScenarioError) -> String {
        guard let text = String(data: data, encoding: .utf8) else {
            let message =
                data.starts(with: Data("SQLite format 3\0".utf8))
                ? "this is an SQLite database, not a scenario; specify a YAML file, and pass the "
                    + "database with --database"
                : "the file is not encoded in UTF-8; convert it to UTF-8"
            throw ScenarioError(issues: [.init(file: file, message: message)])
        }
        return text
    }

    /// A change to a value in a scenario's file, such as `clients.ui.arrival.rate=500/s`.
    public struct Setting: Sendable, Equatable, CustomStringConvertible {
        /// The path of the value, with keys separated by dots.
        ///
        /// A `name` or an index identifies an entry in a list.
        public var path: String
        /// The value, as YAML.
        public var value: String

        /// Parses `path=value`.
        ///
        /// - Throws: ``ScenarioError`` if there is no `=` or no path.
        public init(_ text: String) throws(ScenarioError) {
            guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
                throw ScenarioError(issues: [
                    .init(
                        file: "",
                        message: "'\(text)' is not a setting; write path=value, such as "
                            + "clients.ui.arrival.rate=500/s"
                    )
                ])
            }
            path = String(text[..<sign])
            value = String(text[text.index(after: sign)...])
        }

        /// The setting as `path=value`.
        public var description: String { "\(path)=\(value)" }
    }

    /// Applies settings to the scenario's file and decodes the result.
    ///
    /// - Parameter settings: The changes, applied in order.
    /// - Returns: The changed scenario, with a comment for each change at the end of ``source``.
    /// - Throws: ``ScenarioError`` if a path is unknown or the changed scenario is invalid. For
    ///   an unknown path, the error suggests the nearest known path.
    public func with(_ settings: [Setting]) throws(ScenarioError) -> Scenario {
        guard !settings.isEmpty else { return self }
        guard case .root(var root) = YAMLLog(file: file).document(source) else {
            throw ScenarioError(issues: [
                .init(file: file, message: "a scenario created in code has no paths to set")
            ])
        }
        for setting in settings {
            do {
                try SettingPath(setting, in: root).apply(to: &root)
            } catch let failure as SettingPath.Failure {
                throw ScenarioError(issues: [
                    .init(file: "", message: "--set '\(setting)': \(failure.message)")
                ])
            } catch {
                throw ScenarioError(issues: [
                    .init(file: "", message: "--set '\(setting)': \(error)")
                ])
            }
        }
        var changed: Scenario
        var decoder = ScenarioDecoder(file: file)
        do {
            changed = try decoder.decode(source, from: root)
        } catch {
            // The original file is valid, so the changes cause these errors.
            let named = settings.map { "--set '\($0)'" }.joined(separator: ", ")
            throw ScenarioError(
                issues: error.issues.map { .init(file: "", message: "\(named): \($0.message)") }
            )
        }
        changed.settings = settings
        if arms.contains(where: { $0.driver?.isAllowed == true }) { changed.allowCommands() }
        if !changed.source.hasSuffix("\n") { changed.source += "\n" }
        for setting in settings { changed.source += "# --set \(setting)\n" }
        return changed
    }

    /// Returns the scenario with one measured phase of a given length, which a caller ends early.
    ///
    /// Times that are shares of the measured time keep their length. A client that is active in only
    /// some of the phases is active if one of them is measured.
    package func continuous(for duration: Duration) -> Scenario {
        let measured = measuredDuration
        func absolute(_ span: TimeSpan) -> TimeSpan { .absolute(span.resolved(in: measured)) }
        let names = Set(phases.filter(\.isMeasured).map(\.name))
        var changed = self
        changed.phases = [Phase(name: "load", duration: duration)]
        changed.clients = clients.filter { client in
            client.phases.isEmpty || client.phases.contains(where: names.contains)
        }
        .map { client in
            var client = client
            client.phases = []
            switch client.pace {
            case .at(let time): client.pace = .at(absolute(time))
            case .every(let period): client.pace = .every(absolute(period))
            case .open(var arrival):
                for index in arrival.stages.indices {
                    arrival.stages[index].length = absolute(arrival.stages[index].length)
                }
                client.pace = .open(arrival)
            case .closed: break
            }
            switch client.activity {
            case .hold(let time, let sql): client.activity = .hold(absolute(time), sql: sql)
            case .snapshot(let time, let sql):
                client.activity = .snapshot(absolute(time), sql: sql)
            default: break
            }
            return client
        }
        // The load has no end of its own, so nothing is judged at its end.
        changed.thresholds = []
        changed.invariants = []
        changed.dataInvariants = []
        return changed
    }

    /// Returns the arm with the given name.
    ///
    /// - Throws: ``RunError``, which suggests the nearest name, if there is no such arm.
    package func arm(named name: String) throws(RunError) -> Arm {
        guard let arm = arms.first(where: { $0.name == name }) else {
            throw RunError(
                .scenario,
                "\(self.name) has no arm '\(name)'"
                    + NearestName.hint(name, among: arms.map(\.name))
            )
        }
        return arm
    }
}
