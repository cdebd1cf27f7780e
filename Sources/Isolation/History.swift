/// The operations that several concurrent sessions performed on a database, with their results.
///
/// A history contains transactions on two kinds of objects, which have separate keys:
///
/// * A *list* starts empty. Transactions append elements to it and read the whole list.
/// * A *register* starts without a value. Transactions write it and read it.
///
/// Each append to a list uses a value that no other append to that list uses. The same applies to
/// writes to a register. The value therefore identifies the transaction that produced it.
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

package struct HistoryTransaction: Sendable, Equatable, Codable {
    package enum Outcome: String, Sendable, Codable {
        /// The commit was acknowledged.
        case committed
        /// The transaction was rolled back, so no other transaction may read its writes.
        case aborted
        /// The commit failed with an error that does not show whether the commit took effect.
        case unknown
    }

    /// The index of the transaction's session in ``History/sessions``.
    package var session: Int
    /// The transaction's number in its session, for explanations.
    package var number: Int
    /// The kind of access, such as "read" or "snapshot", for explanations.
    package var access: String
    /// The earliest moment at which the transaction can have taken effect, in nanoseconds on a
    /// clock that all sessions share.
    ///
    /// For a transaction that reads, this is the moment before the access that begins it. For a
    /// transaction that writes, it is the moment before its commit, because no other transaction
    /// may read its writes earlier. For reads from a snapshot, it is the moment before the snapshot
    /// is created.
    package var begin: UInt64
    /// The latest moment at which the transaction can have taken effect, in nanoseconds.
    ///
    /// For a transaction that reads, this is the moment after its first statement. For a
    /// transaction that writes, it is the moment at which its commit returned. For reads from a
    /// snapshot, it is the moment at which the snapshot was complete. `.max` means that the
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
    /// A list was read and contained these elements.
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
