import Foundation
import Synchronization
import Testing

@testable import Telemetry

@Suite(.timeLimit(.minutes(1)))
struct PromiseTests {
    @Test func aValueFulfilledEarlierIsAvailable() async {
        let promise = Promise<Int>()
        promise.fulfill(7)
        #expect(await promise.value() == 7)
        #expect(await promise.value() == 7)
    }

    @Test func laterValuesAreIgnored() async {
        let promise = Promise<Int>()
        promise.fulfill(1)
        promise.fulfill(2)
        #expect(await promise.value() == 1)
    }

    @Test func anAwaitingTaskIsWoken() async {
        let promise = Promise<Int>()
        let task = Task { await promise.value() }
        Thread.detachNewThread { promise.fulfill(3) }
        #expect(await task.value == 3)
    }

    @Test func aWokenTaskCanReadTheValueAgain() async {
        let promise = Promise<Int>()
        async let woken = promise.value()
        Thread.detachNewThread { promise.fulfill(3) }
        #expect(await woken == 3)
        #expect(await promise.value() == 3)
    }

    @Test func nilIsAValidValue() async {
        let promise = Promise<Int?>()
        promise.fulfill(nil)
        promise.fulfill(1)
        #expect(await promise.value() == nil)
    }

    @Test func aCanceledTaskKeepsWaiting() async {
        let promise = Promise<Int>()
        let hasEnded = Lock(false)
        await withTaskGroup(of: Int.self) { group in
            group.addTask {
                defer { hasEnded.withLock { $0 = true } }
                return await promise.value()
            }
            group.cancelAll()
            for _ in 0..<1_000 { await Task.yield() }
            #expect(!hasEnded.withLock { $0 })
            promise.fulfill(5)
            #expect(await group.next() == 5)
        }
    }

    @Test func twoTasksMustNotAwaitOnePromise() async {
        let outcome = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            // Without the precondition, the tasks would wait forever.
            alarm(20)
            let promise = Promise<Int>()
            async let first = promise.value()
            async let second = promise.value()
            _ = await (first, second)
        }
        let message = String(decoding: outcome?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("only one task may await a promise"))
    }

    /// A value that a thread writes without a lock before it fulfills the promise.
    ///
    /// `@unchecked Sendable`, because the promise orders the write before the read.
    private final class WrittenValue: @unchecked Sendable {
        var number = 0
    }

    /// Fulfills the promise before, while, and after the task suspends.
    ///
    /// Each time, the task observes the earlier write. The thread sanitizer verifies the
    /// synchronization.
    @Test func theTaskObservesEarlierWrites() async {
        let rounds = 2_000
        let promises = (0...rounds).map { _ in Promise<WrittenValue>() }
        let round = Atomic<Int>(-1)
        // One thread is used for all rounds, because creating a thread would synchronize.
        Thread.detachNewThread {
            for (number, promise) in promises.enumerated() {
                // The load is relaxed, because it must not synchronize either.
                while round.load(ordering: .relaxed) < number { sched_yield() }
                // The promise is fulfilled slightly later each time, to coincide with each step of
                // the task.
                for _ in 0..<number % 1_000 { _ = round.load(ordering: .relaxed) }
                let written = WrittenValue()
                written.number = number
                promise.fulfill(written)
            }
        }
        for (number, promise) in promises.enumerated() {
            round.store(number, ordering: .relaxed)
            #expect(await promise.value().number == number)
        }
    }
}
