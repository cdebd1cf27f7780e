import Testing

@testable import SQLTrace

struct ProcessorWaitTests {
    @Test func theTimeBeforeTheFirstReadIsExcluded() {
        nonisolated(unsafe) var threads: [Int32: ProcessorWait.Times] = [
            7: .init(running: 1000, waiting: 9000)
        ]
        var wait = ProcessorWait { $0 == 1 ? threads : [:] }
        wait.read(1)
        #expect(wait.total == (0, 0))
        threads = [7: .init(running: 1300, waiting: 9100)]
        wait.read(1)
        #expect(wait.total == (300, 100))
        #expect(wait.known == [1])
    }

    @Test func threadsThatStartOrEndDuringTheMeasurementAreCounted() {
        nonisolated(unsafe) var threads: [Int32: ProcessorWait.Times] = [
            7: .init(running: 50, waiting: 50)
        ]
        var wait = ProcessorWait { _ in threads }
        wait.read(1)
        threads = [7: .init(running: 60, waiting: 50), 8: .init(running: 20, waiting: 60)]
        wait.read(1)
        threads = [8: .init(running: 30, waiting: 110)]
        wait.read(1)
        // Thread 7 ran for 10 ns. Thread 8 ran for 30 ns and waited for 110 ns.
        #expect(wait.total == (40, 110))
    }
}
