/// The operations that several concurrent sessions performed on a database, with their results.
///
/// A history contains transactions on two kinds of objects, which have separate keys:
///
/// * A *list* starts empty. Transactions append elements to it and read the whole list.
/// * A *register* starts without a value. Transactions write it and read it.
///
/// Appended values are unique within a list, and written values are unique within a register. A
/// value therefore identifies the transaction that wrote it.
package struct History: Sendable, Equatable, Codable {
    /// The names of the sessions.
    ///
    /// Transactions refer to sessions by index.
    package var sessions: [String]
    /// The transactions, in any order.
    package var transactions: [HistoryTransaction]

    package init(sessions: [String] = [], transactions: [HistoryTransaction] = []) {
        self.sessions = sessions
        self.transactions = transactions
    }
}

/// A transaction of a session, with its operations and its outcome.
package struct HistoryTransaction: Sendable, Equatable, Codable {
    package enum Outcome: String, Sendable, Codable {
        /// The commit was acknowledged.
        case committed
        /// The transaction was rolled back, so no other transaction may read its writes.
        case aborted
        /// The commit failed with an error that leaves its outcome unknown.
        case unknown
    }

    /// The index of the transaction's session in ``History/sessions``.
    package var session: Int
    /// The transaction's number in its session, for use in explanations.
    package var number: Int
    /// The kind of access, such as "read" or "snapshot", for use in explanations.
    package var access: String
    /// The earliest time at which the transaction can take effect, in nanoseconds on a clock that
    /// all sessions share.
    ///
    /// For a transaction that only reads, this is the time just before the access that begins it.
    /// For a transaction that writes, it is the time just before its commit, because no other
    /// transaction may read its writes earlier. For reads from a snapshot, it is the time just
    /// before the creation of the snapshot.
    package var begin: UInt64
    /// The latest time at which the transaction can take effect, in nanoseconds.
    ///
    /// For a transaction that only reads, this is the time just after its first statement. For a
    /// transaction that writes, it is the time at which its commit returned. For reads from a
    /// snapshot, it is the time at which the snapshot was complete. `.max` means that the
    /// transaction may still take effect.
    package var end: UInt64
    package var outcome: Outcome
    package var operations: [HistoryOperation]

    package init(
        session: Int,
        number: Int,
        access: String,
        begin: UInt64,
        end: UInt64,
        outcome: Outcome = .committed,
        operations: [HistoryOperation]
    ) {
        self.session = session
        self.number = number
        self.access = access
        self.begin = begin
        self.end = end
        self.outcome = outcome
        self.operations = operations
    }
}

/// A successful operation of a transaction.
package enum HistoryOperation: Sendable, Hashable, Codable {
    /// An element was appended to a list.
    case append(list: Int64, element: Int64)
    /// A list was read and contained the given elements.
    case readList(Int64, elements: [Int64])
    /// A value was written to a register.
    case write(register: Int64, value: Int64)
    /// A register was read.
    ///
    /// The value is `nil` if the register had no value.
    case readRegister(Int64, value: Int64?)

    package var isWrite: Bool {
        switch self {
        case .append, .write: true
        case .readList, .readRegister: false
        }
    }
}
