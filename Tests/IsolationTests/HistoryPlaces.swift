import TestSupport

@testable import Isolation

/// The places in a history that a mutation can change.
struct HistoryPlaces {
    /// A read of a list.
    struct Read {
        var transaction: Int
        var operation: Int
        var key: Int64
        var list: [Int64]
        /// The number of elements that other transactions appended.
        var externalCount: Int
        /// Whether this is the transaction's first read of the list.
        var isFirst: Bool
    }

    /// All reads of lists in committed transactions.
    private(set) var all: [Read] = []
    /// The transaction that appended each element, by list.
    private(set) var writer: [Int64: [Int64: Int]] = [:]
    /// For each list, an element that was rolled back.
    private(set) var abortedElements: [Int64: Int64] = [:]
    private let last: Int

    init(_ history: History) {
        last = history.transactions.count - 1
        for (index, transaction) in history.transactions.enumerated() {
            var ownCounts: [Int64: Int] = [:]
            var readKeys: Set<Int64> = []
            for (place, operation) in transaction.operations.enumerated() {
                switch operation {
                case .append(let key, let element):
                    writer[key, default: [:]][element] = index
                    ownCounts[key, default: 0] += 1
                    if transaction.outcome == .aborted { abortedElements[key] = element }
                case .readList(let key, let list) where transaction.outcome == .committed:
                    all.append(
                        Read(
                            transaction: index,
                            operation: place,
                            key: key,
                            list: list,
                            externalCount: list.count - ownCounts[key, default: 0],
                            isFirst: readKeys.insert(key).inserted
                        )
                    )
                default: break
                }
            }
        }
    }

    /// The reads before the last transaction, which reads the final state of all lists.
    var earlierReads: [Read] { all.filter { $0.transaction != last } }

    func isCommitted(_ element: Int64?, _ key: Int64, _ history: History) -> Bool {
        element.map { committedEnd($0, key, history) < .max } ?? false
    }

    /// Returns the end of the transaction that appended an element, or `.max` if it is not
    /// committed.
    func committedEnd(_ element: Int64, _ key: Int64, _ history: History) -> UInt64 {
        guard let index = writer[key]?[element],
            history.transactions[index].outcome == .committed
        else { return .max }
        return history.transactions[index].end
    }

    /// Returns the reads whose last external element was appended by a transaction that the reader
    /// also observes in another list.
    func readsWithSharedWriter(_ history: History) -> [Read] {
        var reads: [Read] = []
        let byTransaction = Dictionary(grouping: earlierReads.filter(\.isFirst), by: \.transaction)
        for transaction in byTransaction.keys.sorted() {
            let ownReads = byTransaction[transaction] ?? []
            for read in ownReads where read.externalCount > 0 {
                let element = read.list[read.externalCount - 1]
                guard isCommitted(element, read.key, history),
                    let index = writer[read.key]?[element]
                else { continue }
                let isShared = ownReads.contains { other in
                    other.key != read.key
                        && other.list.prefix(other.externalCount).contains {
                            writer[other.key]?[$0] == index
                        }
                }
                if isShared { reads.append(read) }
            }
        }
        return reads
    }

    /// Returns a length that ends a list between two appends of one transaction, or `nil` if there
    /// is none.
    func cutInsideTransaction(_ read: Read, _ history: History) -> Int? {
        guard read.externalCount >= 2 else { return nil }
        return (1..<read.externalCount).first { length in
            let writers = [read.list[length - 1], read.list[length]].map { writer[read.key]?[$0] }
            return writers[0] == writers[1] && writers[0] != read.transaction
        }
    }

    // MARK: Registers

    private struct Update {
        var transaction: Int
        /// The index of the read that precedes the write.
        var operation: Int
        var register: Int64
        var previousValue: Int64?
        var newValue: Int64
    }

    /// Returns the transactions that read a register once, wrote it once, and committed.
    private func updates(_ history: History) -> [Update] {
        var updates: [Update] = []
        for (index, transaction) in history.transactions.enumerated()
        where transaction.outcome == .committed {
            for (place, operation) in transaction.operations.enumerated() {
                guard case .readRegister(let register, let previousValue) = operation,
                    count(register, transaction) == 2,
                    place + 1 < transaction.operations.count,
                    case .write(register, let newValue) = transaction.operations[place + 1]
                else { continue }
                updates.append(
                    Update(
                        transaction: index,
                        operation: place,
                        register: register,
                        previousValue: previousValue,
                        newValue: newValue
                    )
                )
            }
        }
        return updates
    }

    private func count(_ register: Int64, _ transaction: HistoryTransaction) -> Int {
        transaction.operations.count { operation in
            switch operation {
            case .readRegister(register, _), .write(register, _): true
            default: false
            }
        }
    }

    /// Makes a read return a value that another write replaced before the read began.
    func showReplacedValue(_ history: inout History, _ random: inout SeededRandom) -> Bool {
        let updates = updates(history)
        var candidates: [(transaction: Int, operation: Int, update: Update)] = []
        for (index, transaction) in history.transactions.enumerated()
        where transaction.outcome == .committed {
            for (place, operation) in transaction.operations.enumerated() {
                guard case .readRegister(let register, _) = operation,
                    count(register, transaction) == 1
                else { continue }
                let update = updates.last {
                    $0.register == register
                        && history.transactions[$0.transaction].end < transaction.begin
                }
                if let update { candidates.append((index, place, update)) }
            }
        }
        guard let chosen = candidates.randomElement(using: &random) else { return false }
        history.transactions[chosen.transaction].operations[chosen.operation] =
            .readRegister(chosen.update.register, value: chosen.update.previousValue)
        return true
    }

    /// Makes a read return a value that was rolled back.
    func showAbortedValue(_ history: inout History, _ random: inout SeededRandom) -> Bool {
        var aborted: [Int64: Int64] = [:]
        for transaction in history.transactions where transaction.outcome == .aborted {
            for case .write(let register, let value) in transaction.operations {
                aborted[register] = value
            }
        }
        guard case .readRegister(let register, _)? = history.transactions[last].operations.last,
            let value = aborted[register]
        else { return false }
        let place = history.transactions[last].operations.count - 1
        history.transactions[last].operations[place] = .readRegister(register, value: value)
        return true
    }

    /// Makes an update replace the same value that the previous update replaced.
    func replaceSameValueTwice(_ history: inout History, _ random: inout SeededRandom) -> Bool {
        let updates = updates(history)
        var pairs: [(Update, Update)] = []
        for second in updates {
            for first in updates
            where first.register == second.register && first.newValue == second.previousValue {
                pairs.append((first, second))
            }
        }
        guard let (first, second) = pairs.randomElement(using: &random) else { return false }
        history.transactions[second.transaction].operations[second.operation] =
            .readRegister(second.register, value: first.previousValue)
        return true
    }
}
