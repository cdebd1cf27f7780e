/// A type that infers the order of transactions from the list elements that they appended and read.
///
/// Each read returns all earlier appends in order. The longest list therefore contains all appends
/// in order, and every other read returns a prefix of it.
struct ListInference {
    private let history: History
    private let objects: ObjectAccesses
    private let names: TransactionNames

    init(_ history: History, _ objects: ObjectAccesses, _ names: TransactionNames) {
        self.history = history
        self.objects = objects
        self.names = names
    }

    /// Adds the dependencies and anomalies of all lists.
    func infer(_ edges: inout [Dependency], _ log: inout AnomalyLog) {
        for objectIndex in objects.lists.indices { infer(objectIndex, &edges, &log) }
    }

    private func infer(_ objectIndex: Int, _ edges: inout [Dependency], _ log: inout AnomalyLog) {
        let list = objects.lists[objectIndex]
        let order = longestList(of: list)
        let isOrderUnique = checkElements(order.elements, by: order.reader, objectIndex, list, &log)
        var prefixes: [Int] = []
        for (index, read) in list.reads.enumerated() {
            if isPrefix(read, of: order.elements) {
                prefixes.append(index)
            } else {
                reportIncompatible(read, order, objectIndex, &log)
                _ = checkElements(
                    Array(read.elements.prefix(read.externalCount)),
                    by: read.transaction,
                    objectIndex,
                    list,
                    &log
                )
            }
            checkLast(read, objectIndex, list, &log)
        }
        let lost = findLost(objectIndex, list, &log)
        guard isOrderUnique else { return }
        addOverwrites(order.elements, objectIndex, list, &edges)
        for index in prefixes where list.reads[index].isFirst {
            addReads(list.reads[index], order.elements, lost, objectIndex, list, &edges)
        }
    }

    // MARK: The order of the elements

    private struct Order {
        var elements: [Int64] = []
        var reader: Int?
    }

    /// Returns the longest list that a read returned.
    ///
    /// For a read in an uncommitted transaction, the list excludes the transaction's own elements.
    private func longestList(of list: ObjectAccesses.List) -> Order {
        var longest: (read: Int, count: Int)?
        for (index, read) in list.reads.enumerated() {
            let count =
                objects.isCommitted[read.transaction] ? read.elements.count : read.externalCount
            if count > longest?.count ?? 0 { longest = (index, count) }
        }
        guard let longest else { return Order() }
        let read = list.reads[longest.read]
        return Order(
            elements: Array(read.elements.prefix(longest.count)),
            reader: read.transaction
        )
    }

    private func isPrefix(_ read: ObjectAccesses.ListRead, of order: [Int64]) -> Bool {
        let count = read.externalCount
        guard count <= order.count else { return false }
        return read.elements.prefix(count).elementsEqual(order.prefix(count))
    }

    private func reportIncompatible(
        _ read: ObjectAccesses.ListRead,
        _ order: Order,
        _ objectIndex: Int,
        _ log: inout AnomalyLog
    ) {
        let other = order.reader.map { names[$0] } ?? "another transaction"
        log.add(
            .incompatibleOrder,
            [read.transaction] + (order.reader.map { [$0] } ?? []),
            "\(names[read.transaction]) read \(read.elements.listText) in "
                + "\(objects.name(of: .list(objectIndex))), but \(other) read \(order.elements.listText)"
        )
    }

    // MARK: Elements

    /// Reports elements that are duplicated, unknown, or from a transaction that was rolled back.
    ///
    /// - Returns: `false` if an element occurs more than once.
    private func checkElements(
        _ elements: [Int64],
        by reader: Int?,
        _ objectIndex: Int,
        _ list: ObjectAccesses.List,
        _ log: inout AnomalyLog
    ) -> Bool {
        guard let reader else { return true }
        var seen: Set<Int64> = []
        var isUnique = true
        for element in elements {
            let subject = "\(element) in \(objects.name(of: .list(objectIndex)))"
            guard seen.insert(element).inserted else {
                isUnique = false
                log.add(
                    .duplicateElement,
                    [reader],
                    "\(names[reader]) read \(subject) more than once: \(elements.listText)"
                )
                continue
            }
            guard let append = list.writers[element] else {
                log.add(
                    .unknownValue,
                    [reader],
                    "\(names[reader]) read \(subject), which no transaction appended"
                )
                continue
            }
            let writer = list.appends[append].transaction
            guard objects.isAborted(writer), writer != reader else { continue }
            log.add(
                .abortedRead,
                [reader, writer],
                "\(names[reader]) read \(subject), which \(names[writer]) appended before it was "
                    + "rolled back"
            )
        }
        return isUnique
    }

    /// Reports a read whose last element is not the last element that the element's transaction
    /// appended.
    private func checkLast(
        _ read: ObjectAccesses.ListRead,
        _ objectIndex: Int,
        _ list: ObjectAccesses.List,
        _ log: inout AnomalyLog
    ) {
        guard read.externalCount > 0 else { return }
        let element = read.elements[read.externalCount - 1]
        guard let index = list.writers[element] else { return }
        let append = list.appends[index]
        guard !append.isFinal, append.transaction != read.transaction else { return }
        log.add(
            .intermediateRead,
            [read.transaction, append.transaction],
            "\(names[read.transaction]) read \(read.elements.listText) in "
                + "\(objects.name(of: .list(objectIndex))): \(names[append.transaction]) appended "
                + "\(element) there, and more afterwards in the same transaction"
        )
    }

    /// Reports and returns the committed elements that are missing from the last read of the list.
    private func findLost(
        _ objectIndex: Int,
        _ list: ObjectAccesses.List,
        _ log: inout AnomalyLog
    ) -> Set<Int64> {
        let last = list.reads.max { left, right in
            let beginTimes = (begin(of: left.transaction), begin(of: right.transaction))
            return (beginTimes.0, left.elements.count) < (beginTimes.1, right.elements.count)
        }
        guard let last else { return [] }
        let shown = Set(last.elements)
        let start = begin(of: last.transaction)
        var lost: Set<Int64> = []
        for append in list.appends
        where objects.isCommitted[append.transaction] && !shown.contains(append.element) {
            let end = history.transactions[append.transaction].end
            guard end < start else { continue }
            lost.insert(append.element)
            log.add(
                .lostWrite,
                [append.transaction, last.transaction],
                "\(names[append.transaction]) appended \(append.element) to "
                    + "\(objects.name(of: .list(objectIndex))) and its commit returned "
                    + "\(Time.text(start - end)) before \(names[last.transaction]) began, which "
                    + "read \(last.elements.listText) there; no later read shows it"
            )
        }
        return lost
    }

    private func begin(of transaction: Int) -> UInt64 { history.transactions[transaction].begin }

    // MARK: Dependencies

    /// Returns the transaction that appended an element, or `nil` if no such transaction committed.
    private func committedWriter(of element: Int64, in list: ObjectAccesses.List) -> Int? {
        guard let index = list.writers[element] else { return nil }
        let writer = list.appends[index].transaction
        return objects.isCommitted[writer] ? writer : nil
    }

    private func addOverwrites(
        _ order: [Int64],
        _ objectIndex: Int,
        _ list: ObjectAccesses.List,
        _ edges: inout [Dependency]
    ) {
        var previous: Int?
        for element in order {
            guard let writer = committedWriter(of: element, in: list) else { continue }
            if let previous, previous != writer {
                edges.append(
                    Dependency(
                        from: previous,
                        to: writer,
                        kind: .overwrite,
                        object: .list(objectIndex),
                        value: element
                    )
                )
            }
            previous = writer
        }
    }

    private func addReads(
        _ read: ObjectAccesses.ListRead,
        _ order: [Int64],
        _ lost: Set<Int64>,
        _ objectIndex: Int,
        _ list: ObjectAccesses.List,
        _ edges: inout [Dependency]
    ) {
        let reader = read.transaction
        var position = read.externalCount
        while position > 0 {
            position -= 1
            guard let writer = committedWriter(of: order[position], in: list) else { continue }
            if writer != reader {
                edges.append(
                    Dependency(
                        from: writer,
                        to: reader,
                        kind: .read,
                        object: .list(objectIndex),
                        value: order[position]
                    )
                )
            }
            break
        }
        for element in order[read.externalCount...] {
            guard let writer = committedWriter(of: element, in: list) else { continue }
            // A lost element is reported separately, because every later read also misses it.
            let isLost =
                lost.contains(element)
                && history.transactions[writer].end < begin(of: reader)
            if isLost { continue }
            if writer != reader {
                edges.append(
                    Dependency(
                        from: reader,
                        to: writer,
                        kind: .antidependency,
                        object: .list(objectIndex),
                        value: element
                    )
                )
            }
            break
        }
    }
}

enum Time {
    /// Returns a time in microseconds, milliseconds, or seconds.
    static func text(_ nanoseconds: UInt64) -> String {
        switch nanoseconds {
        case ..<1_000_000: "\(Double(nanoseconds / 100) / 10) µs"
        case ..<1_000_000_000: "\(Double(nanoseconds / 100_000) / 10) ms"
        default: "\(Double(nanoseconds / 100_000_000) / 10) s"
        }
    }
}
