import Foundation
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests notifications that a task delivers.
@Suite(.timeLimit(.minutes(1)))
struct TaskSchedulerTests {
    private let folder = TemporaryFolder()

    /// Numbers that no lock protects.
    ///
    /// `@unchecked Sendable`, because only the scheduler's task uses the numbers until the task
    /// ends, and only the test uses them after that.
    private final class ReceivedNumbers: @unchecked Sendable {
        var numbers: [Int] = []
    }

    @Test func actionsRunInOrder() async {
        let scheduler = TaskValueObservationScheduler(priority: nil)
        let received = ReceivedNumbers()
        let isDone = Promise<Void>()
        Thread.detachNewThread {
            for number in 0..<10_000 {
                let box = ReceivedNumbers()
                box.numbers = [number]
                scheduler.schedule { received.numbers += box.numbers }
                // Yielding sometimes lets the task fall asleep, so the next action must wake it.
                if number % 100 == 0 { sched_yield() }
            }
            scheduler.schedule { isDone.fulfill(()) }
        }
        await isDone.value()
        #expect(received.numbers == Array(0..<10_000))
    }

    @Test func scheduledActionsRunAfterTheSchedulerIsReleased() async {
        let isDone = Promise<Int>()
        TaskValueObservationScheduler(priority: .high).schedule { isDone.fulfill(1) }
        #expect(await isDone.value() == 1)
    }

    @Test func scheduledActionsRunInOrderAfterTheSchedulerIsReleased() async throws {
        let received = ReceivedNumbers()
        let mayContinue = Gate()
        let isDone = Promise<Void>()
        do {
            let scheduler = TaskValueObservationScheduler(priority: nil)
            scheduler.schedule { try? mayContinue.wait() }
            for number in 0..<3 { scheduler.schedule { received.numbers.append(number) } }
            scheduler.schedule { isDone.fulfill(()) }
        }
        mayContinue.open()
        await isDone.value()
        #expect(received.numbers == [0, 1, 2])
    }

    @Test func anActionCanScheduleAnotherAction() async {
        let scheduler = TaskValueObservationScheduler(priority: nil)
        let isDone = Promise<Int>()
        scheduler.schedule { scheduler.schedule { isDone.fulfill(2) } }
        #expect(await isDone.value() == 2)
    }

    @Test func valuesAreDeliveredInATask() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        let received = CollectedLines()
        let cancellable = ValueObservation.tracking { db in try db.rowCount() }.start(
            in: pool,
            scheduling: .task(priority: .high),
            onError: { received.append("error: \($0)") },
            onChange: { count in
                received.append(withUnsafeCurrentTask { $0 == nil } ? "no task" : "\(count ?? -1)")
            }
        )
        try await eventuallyAsync { received.all == ["0"] }
        for number in 1...20 {
            try await pool.write { db in try db.insert(number) }
            try await eventuallyAsync { received.all.last == "\(number)" }
        }
        cancellable.cancel()
        // Another observation delivers later values. The canceled observation must not deliver
        // them.
        let other = CollectedLines()
        let otherCancellable = ValueObservation.tracking { db in try db.rowCount() }.start(
            in: pool,
            scheduling: .task,
            onError: { other.append("error: \($0)") },
            onChange: { other.append("\($0 ?? -1)") }
        )
        for number in 21...25 {
            try await pool.write { db in try db.insert(number) }
            try await eventuallyAsync { other.all.last == "\(number)" }
        }
        #expect(received.all.last == "20")
        otherCancellable.cancel()
    }

    @Test func anErrorIsDeliveredInATask() async throws {
        struct Mistake: Error {}
        let pool = try DatabasePool.withTable(in: folder)
        let received = Promise<Bool>()
        let cancellable = ValueObservation.tracking { _ -> Int in throw Mistake() }.start(
            in: pool,
            scheduling: .task,
            onError: { received.fulfill($0 is Mistake) },
            onChange: { _ in }
        )
        #expect(await received.value())
        cancellable.cancel()
    }
}
