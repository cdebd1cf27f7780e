/// Why nothing can be predicted from a result.
public struct WhatIfError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of problem it is.
    public enum Code: Sendable, Equatable {
        /// The file is no result of a run.
        case unreadable
        /// The result holds no arm of that name.
        case unknownArm
        /// The result holds too little: it was recorded by an older version, or not by `run`.
        case notRecorded
        /// The arm is none of those that can be predicted.
        case unsupported
        /// The scenario is not the one that was recorded.
        case differentScenario
    }

    /// What kind of problem it is.
    public let code: Code
    /// What is wrong, and what to do.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }

    /// The value that a recorded word stands for.
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
