import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests deliveries that run user closures and may block.
@Suite(.timeLimit(.minutes(1)))
struct DeliveryTests {
    /// A value whose delivery runs a closure.
    private final class ClosureMember: ObservedMember {
        let runsClosuresOnDelivery: Bool
        private let body: @Sendable () -> Void
        private let isDelivering = Lock(false)

        init(runsClosures: Bool = true, _ body: @escaping @Sendable () -> Void) {
            runsClosuresOnDelivery = runsClosures
            self.body = body
        }

        func beginDelivery() -> Bool {
            isDelivering.withLock { isDelivering in
                defer { isDelivering = true }
                return !isDelivering
            }
        }
        func deliver(through delivery: inout Delivery) { body() }
        func endDelivery() -> Bool { true }
    }

    /// A blocking closure delays neither earlier nor later values.
    @Test func noValueWaitsForABlockingClosure() throws {
        let (mayEnd, isFirstNotified, isLastNotified) = (Gate(), Gate(), Gate())
        Delivery.deliver([
            ClosureMember { isFirstNotified.open() },
            ClosureMember { try? mayEnd.wait() },
            ClosureMember { isLastNotified.open() },
        ])
        try isFirstNotified.wait()
        try isLastNotified.wait()
        mayEnd.open()
    }

    @Test func allValuesAreDeliveredOnce() throws {
        let received = Lock([Int]())
        let members = (0..<50).map { number in
            ClosureMember { received.withLock { $0.append(number) } }
        }
        Delivery.deliver(members)
        Delivery.deliver(members)
        try eventually { received.withLock { $0.count == 50 } }
        #expect(received.withLock { $0.sorted() } == Array(0..<50))
    }

    @Test func valuesWithoutClosuresAreDeliveredOnTheCallersThread() {
        let received = Lock([Int]())
        Delivery.deliver(
            (0..<3).map { number in
                ClosureMember(runsClosures: false) { received.withLock { $0.append(number) } }
            }
        )
        #expect(received.withLock { $0 } == [0, 1, 2])
    }
}
