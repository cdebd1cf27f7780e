/// A comparison of two values inside an access, such as `:balance >= 100`.
///
/// Values are compared as in SQLite. Except for `is`, every comparison with NULL is false.
public struct Condition: Sendable, Equatable {
    /// A comparison operator.
    public enum Comparison: String, Sendable, Equatable, CaseIterable {
        /// Less than or equal.
        case atMost = "<="
        /// Greater than or equal.
        case atLeast = ">="
        /// Not equal.
        case differs = "!="
        /// Equal.
        case equals = "="
        /// Less than.
        case less = "<"
        /// Greater than.
        case greater = ">"
        /// Equal, or both NULL.
        case same = "is"
    }

    /// A side of a comparison.
    public enum Operand: Sendable, Equatable {
        /// A variable with a drawn or fetched value.
        case variable(String)
        /// A value.
        case value(WorkloadValue)
    }

    /// The left side.
    public var left: Operand
    /// The operator.
    public var comparison: Comparison
    /// The right side.
    public var right: Operand

    /// Creates a condition.
    public init(_ left: Operand, _ comparison: Comparison, _ right: Operand) {
        self.left = left
        self.comparison = comparison
        self.right = right
    }

    /// Parses a condition, such as `:balance >= 100`, `:name = 'Ann'`, or `:id is null`.
    ///
    /// - Throws: ``Quantity/Failure``, which describes the expected form.
    init(parsing text: String) throws {
        let failure = Quantity.Failure(
            description: "'\(text)' is not a condition; write ':balance >= 100' or ':name is null'"
        )
        // Cases with longer operators come first so that `<=` is not parsed as `<`.
        for comparison in Comparison.allCases {
            let sign = comparison == .same ? " is " : comparison.rawValue
            guard let range = text.range(of: sign) else { continue }
            guard let left = Self.operand(text[..<range.lowerBound]),
                let right = Self.operand(text[range.upperBound...])
            else { throw failure }
            self.init(left, comparison, right)
            return
        }
        throw failure
    }

    private static func operand(_ text: Substring) -> Operand? {
        let word = text.trimmingPrefix(while: \.isWhitespace)
        let trimmed = String(word.reversed().trimmingPrefix(while: \.isWhitespace).reversed())
        if trimmed.first == ":" {
            let name = String(trimmed.dropFirst())
            return MappingReader.isName(name) ? .variable(name) : nil
        }
        if trimmed.lowercased() == "null" { return .value(.null) }
        if let integer = Int64(trimmed) { return .value(.integer(integer)) }
        if let real = Double(trimmed), real.isFinite { return .value(.real(real)) }
        if trimmed.count >= 2, trimmed.first == "'", trimmed.last == "'" {
            return .value(.text(String(trimmed.dropFirst().dropLast())))
        }
        return nil
    }

    /// The condition as text that ``init(parsing:)`` parses.
    var text: String { "\(Self.text(of: left)) \(comparison.rawValue) \(Self.text(of: right))" }

    private static func text(of operand: Operand) -> String {
        switch operand {
        case .variable(let name): ":\(name)"
        case .value(.integer(let integer)): String(integer)
        case .value(.real(let real)): "\(real)"
        case .value(.text(let text)): "'\(text)'"
        case .value(.null), .value(.blob): "null"
        }
    }

    var variables: [String] {
        [left, right].compactMap { if case .variable(let name) = $0 { name } else { nil } }
    }
}

/// A step of an operation.
///
/// An operation runs all of its steps in one access.
public indirect enum Step: Sendable, Equatable {
    /// A statement that can store the columns of its first row in variables.
    ///
    /// Later steps in the same access can use these variables. If there is no row, the variables
    /// are NULL.
    case run(String, into: [String])
    /// Steps to run if a condition is true, and steps to run otherwise.
    case when(Condition, then: [Step], otherwise: [Step])
    /// Repeated steps, with new values for variables in each repetition.
    case times(Int, [Step])
    /// A pause during which the access keeps its connection and transaction.
    case pause(ThinkTime)

    /// Creates a statement that fetches no variables.
    public static func run(_ sql: String) -> Step { .run(sql, into: []) }

    /// The statements of the step and its nested steps, in order.
    ///
    /// The statements of repeated steps are listed once.
    package var statements: [String] {
        switch self {
        case .run(let sql, _): [sql]
        case .when(_, let then, let otherwise): (then + otherwise).flatMap(\.statements)
        case .times(_, let steps): steps.flatMap(\.statements)
        case .pause: []
        }
    }

    package var fetched: [String] {
        switch self {
        case .run(_, let names): names
        case .when(_, let then, let otherwise): (then + otherwise).flatMap(\.fetched)
        case .times(_, let steps): steps.flatMap(\.fetched)
        case .pause: []
        }
    }

    var pauses: Bool {
        switch self {
        case .run: false
        case .when(_, let then, let otherwise): (then + otherwise).contains(where: \.pauses)
        case .times(_, let steps): steps.contains(where: \.pauses)
        case .pause: true
        }
    }
}
