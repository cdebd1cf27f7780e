import Units

/// The reason that a result does not allow predictions.
package struct WhatIfError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of problem.
    package enum Code: Sendable, Equatable {
        /// The file is not a run's result.
        case unreadable
        /// The result does not contain the arm.
        case unknownArm
        /// The result lacks data, because an older version or a command other than `run` recorded
        /// it.
        case notRecorded
        /// Predictions are not available for this kind of arm.
        case unsupported
        /// The scenario differs from the recorded scenario.
        case differentScenario
    }

    /// The kind of problem.
    package let code: Code
    /// The problem and a remedy.
    package let message: String

    /// Creates an error.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    package var description: String { message }

    /// Returns the value with the raw value `word`, which `what` describes in the error.
    static func word<Value: RawRepresentable & CaseIterable>(
        _ word: String,
        _ what: String
    ) throws -> Value where Value.RawValue == String {
        if let value = Value(rawValue: word) { return value }
        let known = Value.allCases.map(\.rawValue)
        throw WhatIfError(
            .unreadable,
            "\(what) is '\(word)', not one of \(known.joined(separator: ", "))"
                + NearestName.hint(word, among: known)
        )
    }
}
