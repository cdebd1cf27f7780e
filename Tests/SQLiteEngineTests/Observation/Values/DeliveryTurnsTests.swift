import Foundation
import Telemetry
import Testing

@testable import SQLiteEngine

/// Tests notifications that run one after another and may block.
@Suite(.timeLimit(.minutes(1)))
struct DeliveryTurnsTests {
    /// A value whose notification runs a closure.
    private final class ClosureMember: ObservedMember {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        func beginDelivery() -> Bool { true }
        func deliver(through delivery: Delivery) { body() }
        func endDelivery() -> Bool { true }
    }

    /// The blocking value is second to last.
    ///
    /// The first thread reaches it before the starting thread continues.
    ///
    /// The last value must not wait for the blocking value.
    @Test func theLastValueDoesNotWaitForTheSecondToLast() throws {
        let (isInside, mayEnd, isNotified) = (Gate(), Gate(), Gate())
        let isFirst = Lock(true)
        let turns = DeliveryTurns([
            ClosureMember {},
            ClosureMember {
                isInside.open()
                try? mayEnd.wait()
            },
            ClosureMember { isNotified.open() },
        ])
        turns.start(
            running: { turn in
                Thread.detachNewThread { turn() }
                let mustWait = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if mustWait { try? isInside.wait() }
            },
            later: { $0() }
        )
        try isNotified.wait()
        mayEnd.open()
    }

    @Test func allValuesAreDeliveredOnce() throws {
        let received = Lock([Int]())
        let isDone = Gate()
        let turns = DeliveryTurns(
            (0..<50).map { number in
                ClosureMember {
                    let count = received.withLock { received in
                        received.append(number)
                        return received.count
                    }
                    if count == 50 { isDone.open() }
                }
            }
        )
        turns.start(on: DispatchQueue(label: "notifications", attributes: .concurrent))
        try isDone.wait()
        #expect(received.withLock { $0.sorted() } == Array(0..<50))
    }
}
