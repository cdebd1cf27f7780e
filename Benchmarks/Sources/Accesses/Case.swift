import Foundation
import Synchronization

/// A kind of access, performed by raw SQLite, this engine, and GRDB.
struct Case {
    /// The name of the case, shown in the table of results.
    let name: String
    /// The number of concurrent threads, or 1 for the asynchronous cases, which use tasks.
    let threads: Int
    /// The three contenders, in the order raw, engine, GRDB.
    ///
    /// Each closure performs one access.
    let contenders: [@Sendable (_ thread: Int, _ key: Int64) throws -> Void]
    /// For cases that use tasks, the closures that each run a whole round of a contender.
    ///
    /// Each closure returns the number of accesses per second.
    var rounds: [@Sendable (_ seconds: Double) -> Double]?

    /// Runs one round of the contender at an index.
    ///
    /// - Returns: The number of accesses per second.
    func measure(_ index: Int, seconds: Double) -> Double {
        if let rounds { return rounds[index](seconds) }
        let contender = contenders[index]
        let state = RoundState()
        for thread in 0..<threads {
            let worker = Thread {
                state.activeThreads.wrappingAdd(1, ordering: .sequentiallyConsistent)
                while !state.hasStarted.load(ordering: .acquiring) { usleep(50) }
                var count = 0
                var keys = KeySequence(thread: thread)
                while !state.shouldStop.load(ordering: .relaxed) {
                    do { try contender(thread, keys.next()) } catch { fatalError("\(error)") }
                    count += 1
                }
                state.accessCount.wrappingAdd(count, ordering: .relaxed)
                state.activeThreads.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            }
            worker.start()
        }
        while state.activeThreads.load(ordering: .sequentiallyConsistent) < threads { usleep(50) }
        let start = DispatchTime.now().uptimeNanoseconds
        state.hasStarted.store(true, ordering: .releasing)
        usleep(UInt32(seconds * 1_000_000))
        state.shouldStop.store(true, ordering: .relaxed)
        let elapsed = DispatchTime.now().uptimeNanoseconds - start
        while state.activeThreads.load(ordering: .sequentiallyConsistent) > 0 { usleep(50) }
        return Double(state.accessCount.load(ordering: .relaxed)) / (Double(elapsed) / 1e9)
    }
}

/// The state that the threads of a round share.
final class RoundState: Sendable {
    let activeThreads = Atomic<Int>(0)
    let hasStarted = Atomic<Bool>(false)
    let shouldStop = Atomic<Bool>(false)
    let accessCount = Atomic<Int>(0)
}

/// A generator of keys for 10,000 rows (xorshift64, Marsaglia, 2003).
struct KeySequence {
    private var state: UInt64

    init(thread: Int) { state = 0x9e37_79b9_7f4a_7c15 &* UInt64(thread + 1) }

    mutating func next() -> Int64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int64(state % 10_000) + 1
    }
}

/// The SQL statements that the cases run.
enum SQL {
    static let pointRead = "SELECT v FROM t WHERE id = ?"
    static let update = "UPDATE t SET v = v + 1 WHERE id = ?"
    static let rows = "SELECT id, a, name, score, note FROM wide"
    static let notes = "SELECT id, name, score, note FROM wide"
    static let datedNotes = "SELECT id, name, score, note, created FROM wide"
}
