import Foundation
import Synchronization

/// A reader that fetches rows by key, one row per read.
protocol PointReader {
    /// The name of the reader, shown in the table of results.
    var name: String { get }
    /// Reads until `stop` is set or the number of reads reaches `limit`.
    ///
    /// - Returns: The number of reads.
    func run(thread: Int, rows: Int64, limit: Int, stop: borrowing StopFlag) throws -> Int
}

/// A flag that is set when a round has ended.
struct StopFlag: ~Copyable {
    private let flag = Atomic<Bool>(false)
    /// Whether the round has ended.
    var isSet: Bool { flag.load(ordering: .relaxed) }
    func set() { flag.store(true, ordering: .relaxed) }
}

/// A generator of keys, which produces the same keys for each reader (xorshift64, Marsaglia, 2003).
struct KeySequence {
    private var state: UInt64
    private let rows: UInt64

    init(thread: Int, rows: Int64) {
        state = 0x9e37_79b9_7f4a_7c15 &* UInt64(thread + 1)
        self.rows = UInt64(rows)
    }

    mutating func next() -> Int64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int64(state % rows) + 1
    }
}

/// The state that the threads of a round share.
final class Round: Sendable {
    let stop = StopFlag()
    let activeThreads = Atomic<Int>(0)
    let hasStarted = Atomic<Bool>(false)
    let readCount = Atomic<Int>(0)
    let failures = Atomic<Int>(0)
}

/// Reads on a number of threads for the given time.
///
/// - Returns: The number of reads per second across all threads.
func measure(
    _ reader: some PointReader & Sendable,
    threads: Int,
    rows: Int64,
    seconds: Double
) -> Double {
    let round = Round()
    let workers = (0..<threads).map { index in
        let worker = Thread {
            round.activeThreads.wrappingAdd(1, ordering: .sequentiallyConsistent)
            while !round.hasStarted.load(ordering: .acquiring) { usleep(50) }
            do {
                let count = try reader.run(
                    thread: index,
                    rows: rows,
                    limit: .max,
                    stop: round.stop
                )
                round.readCount.wrappingAdd(count, ordering: .relaxed)
            } catch {
                FileHandle.standardError.write(Data("\(error)\n".utf8))
                round.failures.wrappingAdd(1, ordering: .relaxed)
            }
            round.activeThreads.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        }
        worker.stackSize = 1 << 20
        worker.start()
        return worker
    }
    while round.activeThreads.load(ordering: .sequentiallyConsistent) < workers.count { usleep(50) }
    let start = DispatchTime.now().uptimeNanoseconds
    round.hasStarted.store(true, ordering: .releasing)
    usleep(UInt32(seconds * 1_000_000))
    round.stop.set()
    let elapsed = DispatchTime.now().uptimeNanoseconds - start
    while round.activeThreads.load(ordering: .sequentiallyConsistent) > 0 { usleep(50) }
    precondition(round.failures.load(ordering: .relaxed) == 0, "a read failed")
    return Double(round.readCount.load(ordering: .relaxed)) / (Double(elapsed) / 1e9)
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
