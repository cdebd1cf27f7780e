import Dispatch
import Foundation
import Synchronization

/// The result of one round, with times in nanoseconds.
struct Round {
    /// The times from the scheduled start of each commit to its end.
    var responseTimes: [UInt64] = []
    /// The times from the actual start of each commit to its end.
    var serviceTimes: [UInt64] = []
    /// The number of values that observers received.
    var notifications = 0
    /// The processor time of the process in seconds.
    var processorSeconds = 0.0
    /// The time from the last commit until every observer has received its value, or `nil` if an
    /// observer did not receive it within ten seconds.
    var settlingTime: UInt64?
}

/// The last value that each observer received.
private final class ReceivedValues: Sendable {
    private let last: Mutex<[Int]>
    private let count = Atomic<Int>(0)

    init(observers: Int) { last = Mutex([Int](repeating: -1, count: observers)) }

    func record(_ value: Int, by observer: Int) {
        last.withLock { $0[observer] = value }
        count.wrappingAdd(1, ordering: .relaxed)
    }

    var total: Int { count.load(ordering: .relaxed) }

    func isReceivedByAll(_ value: Int) -> Bool { last.withLock { $0.allSatisfy { $0 == value } } }

    /// Waits up to ten seconds until each observer has received `value`.
    ///
    /// - Returns: Whether each observer has received it.
    func wait(for value: Int) -> Bool {
        let deadline = now() + 10_000_000_000
        while !isReceivedByAll(value) {
            if now() > deadline { return false }
            usleep(200)
        }
        return true
    }
}

func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

/// Returns the processor time of the process in seconds.
func processorSeconds() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

/// Runs one round, which commits on a schedule that does not depend on the duration of commits.
///
/// - Parameters:
///   - contender: The library that commits and observes.
///   - observers: The number of observers of the table.
///   - rate: The number of commits per second.
///   - seconds: The duration of the schedule.
///   - first: The first value. Each commit writes the next value.
/// - Returns: The times of the commits and the notifications.
/// - Throws: An error from a commit.
func run(
    _ contender: Contender,
    observers: Int,
    rate: Double,
    seconds: Double,
    first: Int
) throws -> Round {
    let received = ReceivedValues(observers: observers)
    let observations = (0..<observers).map { observer in
        contender.observe { value in received.record(value, by: observer) }
    }
    guard received.wait(for: first - 1) else {
        fatalError("\(contender.name): an observer did not receive the initial value within 10 s")
    }
    var round = Round()
    let count = Int(rate * seconds)
    let interval = UInt64(1_000_000_000 / rate)
    round.responseTimes.reserveCapacity(count)
    round.serviceTimes.reserveCapacity(count)
    let startProcessorSeconds = processorSeconds()
    let begin = now() + interval
    for index in 0..<count {
        let due = begin + UInt64(index) * interval
        let remaining = Int64(due) - Int64(now())
        if remaining > 0 {
            var pause = timespec(tv_sec: 0, tv_nsec: Int(remaining))
            nanosleep(&pause, nil)
        }
        let start = now()
        try contender.commit(first + index)
        let end = now()
        round.responseTimes.append(end - min(due, end))
        round.serviceTimes.append(end - start)
    }
    let end = now()
    if received.wait(for: first + count - 1) { round.settlingTime = now() - end }
    round.processorSeconds = processorSeconds() - startProcessorSeconds
    round.notifications = received.total
    withExtendedLifetime(observations) {}
    return round
}

extension [UInt64] {
    /// Returns a quantile of times in nanoseconds, converted to microseconds.
    func microseconds(at share: Double) -> Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return 0 }
        return Double(sorted[Swift.min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1000
    }
}
