/// An observation that no serializable database can produce.
package struct Anomaly: Sendable, Equatable {
    package var kind: AnomalyKind
    /// A description of the anomaly that names its transactions, keys, and values.
    package var explanation: String
    /// The indices of the transactions involved, in ``History/transactions``.
    package var transactions: [Int]
}

extension Anomaly: CustomStringConvertible {
    package var description: String { "\(kind.title): \(explanation)" }
}

/// The kinds of anomalies, from most to least specific.
///
/// The names G0 to G2 come from Adya's thesis, "Weak Consistency" (MIT, 1999). Lost update and the
/// other names come from "A Critique of ANSI SQL Isolation Levels" (Berenson et al., 1995).
package enum AnomalyKind: String, Sendable, Codable, CaseIterable {
    /// A read returns a value that no transaction wrote.
    case unknownValue
    /// A list contains the same element twice.
    case duplicateElement
    /// Two reads of a list return its elements in conflicting orders.
    case incompatibleOrder
    /// A read returns a value from a transaction that was rolled back (G1a).
    case abortedRead
    /// A read returns a value that its writer replaced before committing (G1b).
    case intermediateRead
    /// A read returns a value before its writer starts to commit.
    case dirtyRead
    /// A transaction's read misses the transaction's own earlier write.
    case ownWriteMissing
    /// Two reads of an object in one transaction differ, with no write between them.
    case nonRepeatableRead
    /// The last read misses an acknowledged commit.
    case lostWrite
    /// Two committed transactions changed the same version of an object (P4).
    case lostUpdate
    /// Transactions overwrite each other's writes in a cycle (G0).
    case dirtyWrite
    /// Transactions read each other's writes in a cycle (G1c).
    case circularInformation
    /// A transaction reads one write but misses an earlier write (G-single).
    case readSkew
    /// Each transaction in a cycle misses a write of the next transaction (G2).
    case writeSkew
    /// A session reads an older state than in an earlier read.
    case nonMonotonicRead
    /// A read misses a commit that returned before the read started.
    case staleRead
    /// No order of the transactions agrees with both their reads and the clock.
    case realTimeViolation

    /// A short description, followed by the literature's name in parentheses.
    package var title: String {
        switch self {
        case .unknownValue: "value that was never written"
        case .duplicateElement: "duplicated element"
        case .incompatibleOrder: "elements missing or in a different order"
        case .abortedRead: "read of an aborted write (G1a)"
        case .intermediateRead: "intermediate read (G1b)"
        case .dirtyRead: "read of an uncommitted write"
        case .ownWriteMissing: "transaction that does not see its own write"
        case .nonRepeatableRead: "non-repeatable read"
        case .lostWrite: "lost acknowledged commit"
        case .lostUpdate: "lost update (P4)"
        case .dirtyWrite: "dirty write (G0)"
        case .circularInformation: "circular information flow (G1c)"
        case .readSkew: "read skew (G-single)"
        case .writeSkew: "write skew (G2)"
        case .nonMonotonicRead: "non-monotonic read"
        case .staleRead: "stale read"
        case .realTimeViolation: "order that contradicts the clock"
        }
    }
}
