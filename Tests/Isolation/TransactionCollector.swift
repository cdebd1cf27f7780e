/// A collector that groups the operations of transactions by object and checks each transaction for
/// consistency.
struct TransactionCollector {
    private struct ListState {
        /// The elements that the next read must return, or `nil` before the first read.
        var expected: [Int64]?
        /// The elements that the transaction has appended.
        var ownElements: [Int64] = []
        var lastAppend: Int?
    }

    private struct RegisterState {
        /// Whether the transaction's operations determine the value that a read must return.
        var isKnown = false
        /// The value that a read must return, if known.
        var expected: Int64?
        /// The value that the transaction read before its first write.
        var predecessor: Int64?
        var hasPredecessor = false
        var lastWrite: Int?
    }

    private var lists: [Int: ListState] = [:]
    private var registers: [Int: RegisterState] = [:]

    /// Adds the operations of a transaction to the accesses of their objects.
    mutating func collect(
        _ transaction: HistoryTransaction,
        at index: Int,
        into objects: inout ObjectAccesses,
        _ names: TransactionNames,
        _ log: inout AnomalyLog
    ) {
        lists.removeAll(keepingCapacity: true)
        registers.removeAll(keepingCapacity: true)
        for operation in transaction.operations {
            switch operation {
            case .append(let list, let element):
                append(element, to: objects.index(ofList: list), by: index, &objects)
            case .readList(let list, let elements):
                read(elements, of: objects.index(ofList: list), by: index, &objects, names, &log)
            case .write(let register, let value):
                write(value, to: objects.index(ofRegister: register), by: index, &objects)
            case .readRegister(let register, let value):
                let object = objects.index(ofRegister: register)
                read(value, of: object, by: index, &objects, names, &log)
            }
        }
        for list in lists.keys {
            guard let last = lists[list]?.lastAppend else { continue }
            objects.lists[list].appends[last].isFinal = true
        }
        for register in registers.keys {
            guard let last = registers[register]?.lastWrite else { continue }
            objects.registers[register].writes[last].isFinal = true
        }
    }

    private mutating func append(
        _ element: Int64,
        to object: Int,
        by transaction: Int,
        _ objects: inout ObjectAccesses
    ) {
        let index = objects.lists[object].appends.count
        objects.lists[object].appends.append(
            .init(transaction: transaction, element: element, isFinal: false)
        )
        if objects.lists[object].writers[element] == nil {
            objects.lists[object].writers[element] = index
        }
        var state = lists.removeValue(forKey: object) ?? ListState()
        state.expected?.append(element)
        state.ownElements.append(element)
        state.lastAppend = index
        lists[object] = state
    }

    private mutating func read(
        _ elements: [Int64],
        of object: Int,
        by transaction: Int,
        _ objects: inout ObjectAccesses,
        _ names: TransactionNames,
        _ log: inout AnomalyLog
    ) {
        var state = lists.removeValue(forKey: object) ?? ListState()
        let endsWithOwnElements = elements.suffix(state.ownElements.count).elementsEqual(
            state.ownElements
        )
        if !endsWithOwnElements {
            log.add(
                .ownWriteMissing,
                [transaction],
                "\(names[transaction]) appended \(state.ownElements.listText) to "
                    + "\(objects.name(of: .list(object))) and then read \(elements.listText) there"
            )
        } else if let expected = state.expected, expected != elements {
            log.add(
                .nonRepeatableRead,
                [transaction],
                "\(names[transaction]) read \(elements.listText) in "
                    + "\(objects.name(of: .list(object))), but its earlier read "
                    + "requires \(expected.listText)"
            )
        }
        objects.lists[object].reads.append(
            .init(
                transaction: transaction,
                elements: elements,
                ownCount: endsWithOwnElements ? state.ownElements.count : 0,
                isFirst: state.expected == nil
            )
        )
        state.expected = elements
        lists[object] = state
    }

    private mutating func write(
        _ value: Int64,
        to object: Int,
        by transaction: Int,
        _ objects: inout ObjectAccesses
    ) {
        var state = registers[object] ?? RegisterState()
        let index = objects.registers[object].writes.count
        objects.registers[object].writes.append(
            .init(
                transaction: transaction,
                value: value,
                isFinal: false,
                hasPredecessor: state.hasPredecessor,
                predecessor: state.predecessor
            )
        )
        if objects.registers[object].writers[value] == nil {
            objects.registers[object].writers[value] = index
        }
        state.isKnown = true
        state.expected = value
        state.lastWrite = index
        registers[object] = state
    }

    private mutating func read(
        _ value: Int64?,
        of object: Int,
        by transaction: Int,
        _ objects: inout ObjectAccesses,
        _ names: TransactionNames,
        _ log: inout AnomalyLog
    ) {
        var state = registers[object] ?? RegisterState()
        if state.isKnown, state.expected != value {
            let name = objects.name(of: .register(object))
            let verb = state.lastWrite == nil ? "read" : "wrote"
            log.add(
                state.lastWrite == nil ? .nonRepeatableRead : .ownWriteMissing,
                [transaction],
                "\(names[transaction]) \(verb) \(state.expected.registerText) in \(name) and "
                    + "then read \(value.registerText) there"
            )
        }
        if state.lastWrite == nil || state.expected != value {
            objects.registers[object].reads.append(
                .init(
                    transaction: transaction,
                    value: value,
                    isFirst: !state.isKnown
                )
            )
        }
        if !state.isKnown {
            state.hasPredecessor = true
            state.predecessor = value
        }
        state.isKnown = true
        state.expected = value
        registers[object] = state
    }
}
