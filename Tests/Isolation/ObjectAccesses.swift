/// The reads and writes of each object in a history, with their transactions.
struct ObjectAccesses {
    struct ListRead {
        var transaction: Int
        var elements: [Int64]
        /// The number of trailing elements that the transaction itself appended before the read.
        var ownCount: Int
        /// Whether this is the transaction's first read of the list.
        var isFirst: Bool

        /// The number of leading elements that other transactions appended.
        var externalCount: Int { elements.count - ownCount }
    }

    struct Append {
        var transaction: Int
        var element: Int64
        /// Whether the transaction appends nothing else to this list afterward.
        var isFinal: Bool
    }

    struct List {
        var key: Int64
        var reads: [ListRead] = []
        var appends: [Append] = []
        /// The index in `appends` of each element.
        var writers: [Int64: Int] = [:]
    }

    /// A read of a register that does not return the transaction's own last write.
    struct RegisterRead {
        var transaction: Int
        var value: Int64?
        /// Whether this is the transaction's first access to the register.
        var isFirst: Bool
    }

    struct RegisterWrite {
        var transaction: Int
        var value: Int64
        /// Whether this is the transaction's last write to the register.
        var isFinal: Bool
        /// Whether the transaction read the register before its first write to the register.
        var hasPredecessor: Bool
        /// The value that the transaction read before its first write.
        var predecessor: Int64?
    }

    struct Register {
        var key: Int64
        var reads: [RegisterRead] = []
        var writes: [RegisterWrite] = []
        /// The index in `writes` of each value.
        var writers: [Int64: Int] = [:]
    }

    var lists: [List] = []
    var registers: [Register] = []
    /// Whether each transaction's writes are treated as committed.
    private(set) var isCommitted: [Bool]
    private let isUnknown: [Bool]
    private var listIndexes: [Int64: Int] = [:]
    private var registerIndexes: [Int64: Int] = [:]

    /// Groups the operations of a history by object, and logs inconsistencies within transactions.
    init(_ history: History, names: TransactionNames, log: inout AnomalyLog) {
        isCommitted = history.transactions.map { $0.outcome == .committed }
        isUnknown = history.transactions.map { $0.outcome == .unknown }
        var collector = TransactionCollector()
        for (index, transaction) in history.transactions.enumerated() {
            collector.collect(transaction, at: index, into: &self, names, &log)
        }
    }

    /// Returns the index of a list in `lists`, adding the list if necessary.
    mutating func index(ofList key: Int64) -> Int {
        if let index = listIndexes[key] { return index }
        listIndexes[key] = lists.count
        lists.append(List(key: key))
        return lists.count - 1
    }

    /// Returns the index of a register in `registers`, adding the register if necessary.
    mutating func index(ofRegister key: Int64) -> Int {
        if let index = registerIndexes[key] { return index }
        registerIndexes[key] = registers.count
        registers.append(Register(key: key))
        return registers.count - 1
    }

    /// Treats a transaction with an unknown outcome as committed if another transaction has read
    /// its writes.
    mutating func resolveUnknownOutcomes() {
        guard isUnknown.contains(true) else { return }
        for list in lists {
            let unknown = list.appends.filter { isUnknown[$0.transaction] }
            guard !unknown.isEmpty else { continue }
            let writers = Dictionary(
                unknown.map { ($0.element, $0.transaction) },
                uniquingKeysWith: { first, _ in first }
            )
            for read in list.reads {
                for element in read.elements.prefix(read.externalCount) {
                    if let writer = writers[element] { isCommitted[writer] = true }
                }
            }
        }
        for register in registers {
            for read in register.reads {
                guard let value = read.value, let write = register.writers[value] else { continue }
                let writer = register.writes[write].transaction
                if isUnknown[writer], writer != read.transaction { isCommitted[writer] = true }
            }
        }
    }

    func isAborted(_ transaction: Int) -> Bool {
        !isCommitted[transaction] && !isUnknown[transaction]
    }

    /// Returns an object's name in explanations, such as `list 7`.
    func name(of object: ObjectIndex) -> String {
        switch object {
        case .list(let index): "list \(lists[index].key)"
        case .register(let index): "register \(registers[index].key)"
        }
    }
}
