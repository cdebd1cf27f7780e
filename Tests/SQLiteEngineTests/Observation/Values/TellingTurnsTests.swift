import Foundation
import Telemetry
import Testing

@testable import SQLiteEngine

/// Notifications one after the other, some of which wait.
@Suite(.timeLimit(.minutes(1)))
struct TellingTurnsTests {
    /// A value whose notification runs a closure.
    private final class ToldMember: ObservedMember {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        func beginTelling() -> Bool { true }
        func tell(through delivery: Delivery) { body() }
        func endTelling() -> Bool { true }
    }

    /// The first thread has reached the waiting value, the last but one, before its starter
    /// continues. The last value must not wait for it.
    @Test func theLastValueDoesNotWaitForTheLastButOne() throws {
        let (isInside, mayEnd, isTold) = (Gate(), Gate(), Gate())
        let isFirst = Lock(true)
        let turns = TellingTurns([
            ToldMember {},
            ToldMember {
                isInside.open()
                try? mayEnd.wait()
            },
            ToldMember { isTold.open() },
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
        try isTold.wait()
        mayEnd.open()
    }

    @Test func allValuesAreDeliveredOnce() throws {
        let told = Lock([Int]())
        let isDone = Gate()
        let turns = TellingTurns(
            (0..<50).map { number in
                ToldMember {
                    let count = told.withLock { told in
                        told.append(number)
                        return told.count
                    }
                    if count == 50 { isDone.open() }
                }
            }
        )
        turns.start(on: DispatchQueue(label: "told", attributes: .concurrent))
        try isDone.wait()
        #expect(told.withLock { $0.sorted() } == Array(0..<50))
    }
}
