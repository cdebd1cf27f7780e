/// An observation that is impossible in a serializable database.
package struct Anomaly: Sendable, Equatable {
    package var kind: AnomalyKind
    /// A description of the anomaly, with the transactions, keys, and values involved.
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
    /// A read shows a value that no transaction wrote.
    case unknownValue
    /// A list contains an element twice.
    case duplicateElement
    /// Two reads of a list show its elements in contradictory orders.
    case incompatibleOrder
    /// A read shows a write of a transaction that was rolled back (G1a).
    case abortedRead
    /// A read shows a write that the same transaction later replaced before its commit (G1b).
    case intermediateRead
    /// A read shows a write before the commit of that write has started.
    case dirtyRead
    /// A transaction's read does not show the transaction's own earlier write.
    case ownWriteMissing
    /// Two reads of an object in one transaction differ without a write between them.
    case nonRepeatableRead
    /// The last read does not show a commit that was acknowledged.
    case lostWrite
    /// Two transactions changed the same version of an object, and both committed (P4).
    case lostUpdate
    /// Transactions overwrite each other's writes in a cycle (G0).
    case dirtyWrite
    /// Transactions read each other's writes in a cycle (G1c).
    case circularInformation
    /// A transaction reads one write but misses an earlier write (G-single).
    case readSkew
    /// Each transaction in a cycle misses a write of the next one (G2).
    case writeSkew
    /// A session reads an older state than before.
    case nonMonotonicRead
    /// A read misses a commit that returned before the read started.
    case staleRead
    /// No order of the transactions both explains their reads and agrees with the clock.
    case realTimeViolation

    /// A short description of the kind, followed by its name in the literature in parentheses.
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
