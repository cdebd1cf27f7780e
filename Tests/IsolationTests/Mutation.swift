import TestSupport

@testable import Isolation

/// A change that makes a correct history impossible in a serializable database.
enum Mutation: String, CaseIterable {
    case dropElement
    case swapElements
    case duplicateElement
    case showAbortedElement
    case showUnknownElement
    case loseLastElement
    case cutToOlderState
    case cutOneOfTwoLists
    case hideOwnElement
    case changeSecondRead
    case cutInsideTransaction
    case showReplacedValue
    case showAbortedValue
    case replaceSameValueTwice
    case commitAfterItWasRead

    /// The kind of anomaly that the change always causes, or `nil` if it depends on the rest of the
    /// history.
    var certainKind: AnomalyKind? {
        switch self {
        case .dropElement, .swapElements: .incompatibleOrder
        case .duplicateElement: .duplicateElement
        case .showAbortedElement, .showAbortedValue: .abortedRead
        case .showUnknownElement: .unknownValue
        case .loseLastElement: .lostWrite
        case .hideOwnElement: .ownWriteMissing
        case .changeSecondRead: .nonRepeatableRead
        case .cutInsideTransaction: .intermediateRead
        case .replaceSameValueTwice: .lostUpdate
        case .cutToOlderState, .cutOneOfTwoLists, .showReplacedValue, .commitAfterItWasRead: nil
        }
    }

    /// Changes a history at a random place.
    ///
    /// - Returns: Whether the history contains a suitable place.
    func apply(to history: inout History, _ random: inout SeededRandom) -> Bool {
        let places = HistoryPlaces(history)
        switch self {
        case .dropElement:
            return change(&history, places.earlierReads.filter { $0.externalCount >= 2 }, &random) {
                list,
                count,
                random in
                list.remove(at: Int.random(in: 0..<count - 1, using: &random))
            }
        case .swapElements:
            return change(&history, places.earlierReads.filter { $0.externalCount >= 2 }, &random) {
                list,
                count,
                random in
                let place = Int.random(in: 1..<count, using: &random)
                list.swapAt(place - 1, place)
            }
        case .duplicateElement:
            return change(&history, places.earlierReads.filter { $0.externalCount >= 1 }, &random) {
                list,
                count,
                _ in
                list.insert(list[count - 1], at: count)
            }
        case .showUnknownElement:
            return change(&history, places.earlierReads, &random) { list, count, _ in
                list.insert(1_000_000, at: count)
            }
        case .showAbortedElement:
            let candidates = places.earlierReads.compactMap { read in
                places.abortedElements[read.key].map { (read, $0) }
            }
            guard let (read, element) = candidates.randomElement(using: &random) else {
                return false
            }
            return change(&history, [read], &random) { list, count, _ in
                list.insert(element, at: count)
            }
        case .loseLastElement:
            let final = history.transactions.count - 1
            let reads = places.all.filter {
                $0.transaction == final && places.isCommitted($0.list.last, $0.key, history)
            }
            return change(&history, reads, &random) { list, _, _ in list.removeLast() }
        case .cutToOlderState:
            let reads = places.earlierReads.filter { read in
                let begin = history.transactions[read.transaction].begin
                return read.externalCount > 0 && read.isFirst
                    && places.committedEnd(read.list[read.externalCount - 1], read.key, history)
                        < begin
            }
            return change(&history, reads, &random) { list, count, _ in list.remove(at: count - 1) }
        case .cutOneOfTwoLists:
            return change(&history, places.readsWithSharedWriter(history), &random) {
                list,
                count,
                _ in
                list.remove(at: count - 1)
            }
        case .hideOwnElement:
            let reads = places.all.filter { $0.externalCount < $0.list.count }
            return change(&history, reads, &random) { list, _, _ in list.removeLast() }
        case .changeSecondRead:
            let reads = places.earlierReads.filter { !$0.isFirst && $0.externalCount > 0 }
            return change(&history, reads, &random) { list, count, _ in list.remove(at: count - 1) }
        case .cutInsideTransaction:
            let reads = places.earlierReads.filter {
                places.cutInsideTransaction($0, history) != nil
            }
            guard let read = reads.randomElement(using: &random),
                let length = places.cutInsideTransaction(read, history)
            else { return false }
            return change(&history, [read], &random) { list, count, _ in
                list.removeSubrange(length..<count)
            }
        case .showReplacedValue:
            return places.showReplacedValue(&history, &random)
        case .showAbortedValue:
            return places.showAbortedValue(&history, &random)
        case .replaceSameValueTwice:
            return places.replaceSameValueTwice(&history, &random)
        case .commitAfterItWasRead:
            let reads = places.earlierReads.filter { read in
                read.externalCount > 0
                    && places.committedEnd(read.list[read.externalCount - 1], read.key, history)
                        < .max
            }
            guard let read = reads.randomElement(using: &random),
                let writer = places.writer[read.key]?[read.list[read.externalCount - 1]]
            else { return false }
            let end = history.transactions[read.transaction].end
            history.transactions[writer].begin = end + 1
            history.transactions[writer].end = max(history.transactions[writer].end, end + 1)
            return true
        }
    }

    private func change(
        _ history: inout History,
        _ reads: [HistoryPlaces.Read],
        _ random: inout SeededRandom,
        _ body: (inout [Int64], Int, inout SeededRandom) -> Void
    ) -> Bool {
        guard let read = reads.randomElement(using: &random) else { return false }
        var list = read.list
        body(&list, read.externalCount, &random)
        history.transactions[read.transaction].operations[read.operation] =
            .readList(read.key, elements: list)
        return true
    }
}
