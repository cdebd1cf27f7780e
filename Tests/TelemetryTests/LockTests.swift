import Dispatch
import Telemetry
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LockTests {
    @Test func oneThreadHoldsTheLockAtATime() {
        let count = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 80_000)
    }

    @Test func anErrorReleasesTheLock() {
        struct Mistake: Error {}
        let lock = Lock("a")
        #expect(throws: Mistake.self) {
            try lock.withLock { state in
                state += "b"
                throw Mistake()
            }
        }
        #expect(lock.withLock { $0 } == "ab")
    }

    @Test func theValueIsReleasedWithTheLock() {
        final class Object: Sendable {}
        weak var object: Object?
        do {
            let lock = Lock(Object())
            object = lock.withLock { $0 }
            #expect(object != nil)
        }
        #expect(object == nil)
    }
}
