import Foundation
import Scenarios

/// The result of a command's runs, in the `poolgauge.run/2` format for other programs.
///
/// Latencies are integers in nanoseconds, and durations are in seconds. Values that were not
/// measured are absent.
public struct RunResult: Sendable, Codable, Equatable {
    /// The identifier of the schema.
    public static let schemaName = "poolgauge.run/2"
    /// The identifiers of all schemas that this version reads.
    ///
    /// `poolgauge.run/1` also has the key `load` for each run, which this version ignores.
    static let readableSchemas = ["poolgauge.run/1", schemaName]

    /// The identifier of the schema, `poolgauge.run/2`.
    public var schema: String
    /// The scenario's name.
    public var scenario: String
    /// The seed for all random choices.
    public var seed: UInt64
    /// The machine and the versions that the runs used.
    public var environment: HostEnvironment
    /// The reason for each missing arm, or `nil` if no arm is missing.
    public var failures: [String]?
    /// The results of the completed arms, in order.
    public var runs: [ArmResult]

    /// Combines the results of running a scenario on its arms.
    public init(scenario: Scenario, environment: HostEnvironment, runs: [ArmResult]) {
        schema = Self.schemaName
        self.scenario = scenario.name
        seed = scenario.seed
        self.environment = environment
        self.runs = runs
    }
}

/// The reason that data is not the result of a run.
package struct UnreadableResult: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problem.
    package let description: String
}

extension RunResult {
    /// Decodes the JSON of a run.
    ///
    /// - Throws: ``UnreadableResult`` with the problem.
    package static func decode(_ data: Data) throws -> RunResult {
        struct Head: Decodable {
            var schema: String
        }
        guard let head = try? JSONDecoder().decode(Head.self, from: data) else {
            throw UnreadableResult(description: "it is not the JSON report of a run")
        }
        guard readableSchemas.contains(head.schema) else {
            throw UnreadableResult(
                description: "the format is '\(head.schema)', expected '\(schemaName)'"
            )
        }
        if let found = ImplausibleNumber(in: data) {
            throw UnreadableResult(
                description: "the number \(found.value) at \(found.path) exceeds the range of a "
                    + "result"
            )
        }
        do {
            return try JSONDecoder().decode(RunResult.self, from: data)
        } catch let error as DecodingError {
            throw UnreadableResult(description: explanation(of: error))
        }
    }

    private static func explanation(of error: DecodingError) -> String {
        let context: DecodingError.Context
        switch error {
        case .keyNotFound(let key, let found):
            return "'\(key.stringValue)' is missing at \(location(found.codingPath))"
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found):
            context = found
        @unknown default: return "\(error)"
        }
        return "\(context.debugDescription) at \(location(context.codingPath))"
    }

    private static func location(_ path: [any CodingKey]) -> String {
        path.isEmpty
            ? "the top level"
            : path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
                .joined(separator: ".")
    }
}

/// A number in JSON that no run can produce.
///
/// Reports and simulations add counts and times. If each number is within the limit, no sum
/// overflows.
struct ImplausibleNumber {
    /// The number as text.
    var value: String
    /// The path of the number, such as `runs.[0].duration`.
    var path: String

    /// The limit for counts, bytes, and nanoseconds.
    ///
    /// In nanoseconds, the limit is more than eleven days.
    private static let limit = 1e15
    /// The keys of numbers that can have any value.
    private static let unlimited: Set = ["seed"]

    /// Finds the first implausible number in JSON data, or returns `nil` if there is none.
    init?(in data: Data) {
        guard let json = try? JSONSerialization.jsonObject(with: data),
            let found = Self.find(in: json, [])
        else { return nil }
        self = found
    }

    private init(_ value: String, _ path: [String]) {
        self.value = value
        self.path = path.joined(separator: ".")
    }

    private static func find(in json: Any, _ path: [String]) -> ImplausibleNumber? {
        switch json {
        case let object as [String: Any]:
            for (key, value) in object.sorted(by: { $0.key < $1.key })
            where !unlimited.contains(key) {
                if let found = find(in: value, path + [key]) { return found }
            }
        case let list as [Any]:
            for (index, value) in list.enumerated() {
                if let found = find(in: value, path + ["[\(index)]"]) { return found }
            }
        case let number as NSNumber where number.doubleValue.magnitude > limit:
            return ImplausibleNumber("\(number)", path)
        default: break
        }
        return nil
    }
}

/// The command's exit status.
public enum ExitStatus: Int32, Sendable {
    /// All checks passed.
    case passed = 0
    /// The run failed.
    case failed = 1
    /// A comparison found a regression.
    case regression = 2
    /// A threshold was missed.
    case thresholdMissed = 3
    /// An invariant was violated.
    case invariantViolated = 4
    /// The load generator was the bottleneck.
    case invalid = 5
    /// A threshold is undecided because there are too few samples.
    case undecided = 6
    /// The replay of a capture differs from the captured load.
    case unfaithful = 7
    /// The run was stopped and a partial result was written.
    case interrupted = 130
}

extension ArmResult {
    /// The run's verdict.
    ///
    /// Failures come first, because they explain other problems. A run that was stopped early has
    /// no other verdict, unless a missed threshold ended the run. Violated invariants count even
    /// in an invalid run. Thresholds come last, because they are meaningless in an invalid run.
    public var exitStatus: ExitStatus {
        if failures?.isEmpty == false { return .failed }
        if partial, aborted == nil { return .interrupted }
        if invariants.contains(where: { $0.passed == false }) { return .invariantViolated }
        if !valid { return .invalid }
        if aborted != nil || thresholds.contains(where: { $0.passed == false }) {
            return .thresholdMissed
        }
        if thresholds.contains(where: { $0.undecided == true }) { return .undecided }
        return .passed
    }
}

extension RunResult {
    /// The most severe verdict of all runs.
    public var exitStatus: ExitStatus {
        let order: [ExitStatus] = [
            .interrupted, .failed, .invariantViolated, .invalid, .thresholdMissed,
            .undecided,
        ]
        let found = runs.map(\.exitStatus) + (failures?.isEmpty == false ? [.failed] : [])
        return order.first { found.contains($0) } ?? .passed
    }
}
