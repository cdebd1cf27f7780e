import Telemetry

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An object that chooses random operations for the transactions of one session.
///
/// The operations use the lists and registers of a table. Each round uses different objects, which
/// keeps the lists short. Any thread may call these methods, because some accesses run on the
/// library's threads.
package final class TransactionScript: Sendable {
    /// The number of lists, and the number of registers, that the sessions of a round share.
    ///
    /// The number is small so that transactions conflict.
    private static let keysPerRound: Int64 = 2

    private struct State {
        var random: any RandomNumberGenerator & Sendable
        var round: Int64 = 0
    }

    package let table: ObjectTable
    private let state: Lock<State>
    private let values: UniqueValues

    /// Creates the script of a session.
    ///
    /// - Parameters:
    ///   - table: The table that the transactions access.
    ///   - random: The generator for all random choices.
    ///   - values: The unique values that all sessions share.
    package init(
        on table: ObjectTable,
        random: any RandomNumberGenerator & Sendable,
        values: UniqueValues
    ) {
        self.table = table
        self.values = values
        state = Lock(State(random: random))
    }

    /// Switches to the lists and registers of a round.
    package func begin(round: Int) { state.withLock { $0.round = Int64(round) } }

    /// Returns all lists and registers of a round.
    package static func objects(ofRound round: Int) -> [ObjectTable.Object] {
        keys(ofRound: Int64(round)).flatMap { [.list($0), .register($0)] }
    }

    private static func keys(ofRound round: Int64) -> Range<Int64> {
        round * keysPerRound + 1..<(round + 1) * keysPerRound + 1
    }

    /// Returns a random number in `0..<count`.
    package func draw(below count: Int) -> Int {
        state.withLock { state in
            func draw(_ random: inout some RandomNumberGenerator) -> Int {
                Int.random(in: 0..<count, using: &random)
            }
            return draw(&state.random)
        }
    }

    /// Reads several randomly chosen objects.
    package func read(in store: some ObjectStore, _ transaction: RecordedTransaction) throws {
        for _ in 0..<2 + draw(below: 3) {
            try table.read(drawObject(), in: store, transaction)
            pause()
        }
    }

    /// Reads one randomly chosen object with one statement.
    package func readOne(in store: some ObjectStore, _ transaction: RecordedTransaction) throws {
        try table.read(drawObject(), in: store, transaction)
    }

    package func append(in store: some ObjectStore, _ transaction: RecordedTransaction) throws {
        try table.append(values.next(), toList: drawKey(), in: store, transaction)
    }

    /// Changes several objects and reads some of them.
    package func write(in store: some ObjectStore, _ transaction: RecordedTransaction) throws {
        for _ in 0..<2 + draw(below: 3) {
            let key = drawKey()
            switch draw(below: 8) {
            case 0...2:
                try append(in: store, transaction)
            case 3:
                try readOne(in: store, transaction)
            case 4:
                try table.write(values.next(), toRegister: key, in: store, transaction)
            default:
                try table.read(.register(key), in: store, transaction)
                pause()
                try table.write(values.next(), toRegister: key, in: store, transaction)
            }
            pause()
        }
    }

    private func drawKey() -> Int64 {
        let keys = Self.keys(ofRound: state.withLock { $0.round })
        return keys.lowerBound + Int64(draw(below: keys.count))
    }

    private func drawObject() -> ObjectTable.Object {
        let key = drawKey()
        return draw(below: 2) == 0 ? .list(key) : .register(key)
    }

    /// Randomly yields the processor so that other sessions can run between two statements.
    private func pause() {
        if draw(below: 2) == 0 { sched_yield() }
    }
}

/// A source of unique values for writes.
package final class UniqueValues: Sendable {
    private let last: Lock<Int64>

    /// Creates a source of values.
    ///
    /// - Parameter start: The number before the first value, which must be different for each
    ///   process.
    package init(after start: Int64 = 0) { last = Lock(start) }

    package func next() -> Int64 {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
