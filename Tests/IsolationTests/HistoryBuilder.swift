@testable import Isolation

/// A builder for a history of transactions in named sessions.
///
/// Transactions follow one another unless their times are specified.
struct HistoryBuilder {
    private(set) var history = History()
    private var now: UInt64 = 0

    /// Adds a transaction that begins after all earlier transactions have ended, or at the time
    /// `at`.
    mutating func add(
        _ session: String,
        _ operations: HistoryOperation...,
        at time: ClosedRange<UInt64>? = nil,
        outcome: HistoryTransaction.Outcome = .committed
    ) {
        let sessionIndex: Int
        if let known = history.sessions.firstIndex(of: session) {
            sessionIndex = known
        } else {
            sessionIndex = history.sessions.count
            history.sessions.append(session)
        }
        let time = time ?? now + 10...now + 20
        now = max(now, time.upperBound)
        history.transactions.append(
            HistoryTransaction(
                session: sessionIndex,
                number: history.transactions.count { $0.session == sessionIndex } + 1,
                access: "test",
                begin: time.lowerBound,
                end: time.upperBound,
                outcome: outcome,
                operations: operations
            )
        )
    }

    /// The kinds of the anomalies, without duplicates.
    var kinds: Set<AnomalyKind> { Set(anomalies.map(\.kind)) }

    var anomalies: [Anomaly] { IsolationCheck().anomalies(of: history) }
}

extension HistoryOperation {
    static func append(_ element: Int64, to list: Int64 = 1) -> Self {
        .append(list: list, element: element)
    }

    static func list(_ elements: [Int64], of list: Int64 = 1) -> Self {
        .readList(list, elements: elements)
    }

    static func write(_ value: Int64, to register: Int64 = 1) -> Self {
        .write(register: register, value: value)
    }

    static func read(_ value: Int64?, of register: Int64 = 1) -> Self {
        .readRegister(register, value: value)
    }
}
