import TestSupport

@testable import Isolation

/// A random history of a database that runs transactions one after another.
///
/// Sessions overlap in time. Each transaction takes effect at one moment between its start and its
/// end. Some transactions are rolled back, some have an unknown outcome, and some read repeatedly
/// from a snapshot. At the end, one session reads everything.
struct SerialHistory {
    /// The lists and registers at one moment.
    struct State {
        var lists: [Int64: [Int64]] = [:]
        var registers: [Int64: Int64] = [:]
    }

    private struct Snapshot {
        var transaction: Int
        var state: State
    }

    private(set) var history: History
    private var random: SeededRandom
    private var state = State()
    private var snapshots: [Int: Snapshot] = [:]
    private var nextValue: Int64 = 1
    private let keyCount: Int64
    private let elementLimit: Int

    /// Creates a history.
    ///
    /// - Parameters:
    ///   - seed: The seed of all random choices.
    ///   - sessions: The number of sessions.
    ///   - transactions: The total number of transactions.
    ///   - keys: The number of lists in use at a time, and the number of registers.
    ///   - elementLimit: The number of elements after which a new list replaces a full one.
    init(
        seed: UInt64,
        sessions: Int = 4,
        transactions: Int,
        keys: Int64 = 3,
        elementLimit: Int = 24
    ) {
        random = SeededRandom(seed: seed)
        history = History(sessions: (0..<sessions).map { "s\($0)" } + ["final"])
        keyCount = keys
        self.elementLimit = elementLimit
        listKeys = Array(1...keys)
        var freeAt = [UInt64](repeating: 0, count: sessions)
        var moment: UInt64 = 100
        for _ in 0..<transactions {
            // Choose a session whose previous transaction has ended before this moment.
            moment += UInt64.random(in: 1...20, using: &random)
            var session = Int.random(in: 0..<sessions, using: &random)
            if freeAt[session] >= moment {
                guard let free = freeAt.indices.first(where: { freeAt[$0] < moment }) else {
                    moment = (freeAt.min() ?? moment) + 1
                    continue
                }
                session = free
            }
            let begin = UInt64.random(in: freeAt[session] + 1...moment, using: &random)
            let end = moment + UInt64.random(in: 0...60, using: &random)
            freeAt[session] = end
            run(session, max(begin, moment > 60 ? moment - 60 : 1), end)
        }
        readEverything(session: sessions, at: (freeAt.max() ?? moment) + 100)
    }

    private var listKeys: [Int64]
    private var usedLists: Set<Int64> = []

    private mutating func add(
        _ session: Int,
        _ access: String,
        _ time: ClosedRange<UInt64>,
        _ outcome: HistoryTransaction.Outcome,
        _ operations: [HistoryOperation]
    ) {
        history.transactions.append(
            HistoryTransaction(
                session: session,
                number: history.transactions.count,
                access: access,
                begin: time.lowerBound,
                end: time.upperBound,
                outcome: outcome,
                operations: operations
            )
        )
    }

    private mutating func run(_ session: Int, _ begin: UInt64, _ end: UInt64) {
        if let snapshot = snapshots[session] {
            readAgain(snapshot, of: session)
            return
        }
        let kind = Int.random(in: 0..<10, using: &random)
        var view = state
        var operations: [HistoryOperation] = []
        let isReadOnly = kind < 4
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            operations += step(&view, isReadOnly: isReadOnly)
        }
        var outcome = HistoryTransaction.Outcome.committed
        if !isReadOnly {
            if kind == 4 { outcome = .aborted }
            if kind == 5 { outcome = .unknown }
        }
        add(session, isReadOnly ? "read" : "write", begin...end, outcome, operations)
        let takesEffect =
            outcome == .committed || (outcome == .unknown && Bool.random(using: &random))
        if takesEffect { state = view }
        if kind == 0 {
            snapshots[session] = Snapshot(
                transaction: history.transactions.count - 1,
                state: view
            )
        }
        renewLists()
    }

    private mutating func step(_ view: inout State, isReadOnly: Bool) -> [HistoryOperation] {
        let register = Int64.random(in: 1...keyCount, using: &random)
        let list = listKeys[Int.random(in: 0..<listKeys.count, using: &random)]
        let kind = Int.random(in: 0..<(isReadOnly ? 2 : 6), using: &random)
        switch kind {
        case 0: return [.readList(list, elements: view.lists[list] ?? [])]
        case 1: return [.readRegister(register, value: view.registers[register])]
        case 2, 3:
            view.lists[list, default: []].append(nextValue)
            nextValue += 1
            usedLists.insert(list)
            return [.append(list: list, element: nextValue - 1)]
        case 4:
            view.registers[register] = nextValue
            nextValue += 1
            return [.write(register: register, value: nextValue - 1)]
        default:
            let before = view.registers[register]
            view.registers[register] = nextValue
            nextValue += 1
            return [
                .readRegister(register, value: before),
                .write(register: register, value: nextValue - 1),
            ]
        }
    }

    private mutating func readAgain(_ snapshot: Snapshot, of session: Int) {
        var view = snapshot.state
        for _ in 0..<3 {
            history.transactions[snapshot.transaction].operations +=
                step(&view, isReadOnly: true)
        }
        if Bool.random(using: &random) { snapshots[session] = nil }
    }

    private mutating func renewLists() {
        for index in listKeys.indices
        where state.lists[listKeys[index], default: []].count >= elementLimit {
            listKeys[index] += keyCount
        }
    }

    private mutating func readEverything(session: Int, at time: UInt64) {
        let lists = usedLists.sorted().map { list in
            HistoryOperation.readList(list, elements: state.lists[list] ?? [])
        }
        let registers = (1...keyCount).map { register in
            HistoryOperation.readRegister(register, value: state.registers[register])
        }
        add(session, "final", time...time + 10, .committed, lists + registers)
    }
}
