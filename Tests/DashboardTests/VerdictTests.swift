import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

struct VerdictTests {
    private func verdict(_ change: (inout Sample) -> Void) -> (level: Verdict.Level, text: String) {
        var history = History()
        for sequence in 0..<100 {
            var database = DatabaseStatus(label: "d", kind: .pool, journalMode: "wal")
            database.readers = ReaderPoolStatus(inUse: 1, open: 4, maximum: 4)
            var sample = Sample(
                sequence: sequence,
                time: 20 + Double(sequence) / 10,
                scenario: "s",
                arm: "pool",
                database: database,
                utilization: 0.25,
                saturation: 0
            )
            change(&sample)
            history.append(sample)
        }
        let verdict = Verdict(history)
        return (verdict.level, verdict.text(fitting: 400, isASCII: false))
    }

    private func waiter(_ name: String, _ nanoseconds: UInt64) -> WaiterStatus {
        WaiterStatus(origin: AccessOrigin(name: name), waitedNanoseconds: nanoseconds)
    }

    private func reader(_ number: Int, _ holder: String, _ nanoseconds: UInt64) -> ConnectionStatus
    {
        ConnectionStatus(
            label: "d.reader.\(number)",
            role: .reader,
            state: .closure,
            holder: AccessOrigin(name: holder),
            heldNanoseconds: nanoseconds
        )
    }

    @Test func saturationIdentifiesWaitersAndHolders() {
        let (level, text) = verdict { sample in
            sample.saturation = 0.43
            sample.database.waitingReaders = [waiter("ui", 12_000_000), waiter("ui", 1_000)]
            sample.database.connections = [
                reader(1, "report", 3_410_000_000), reader(2, "ui", 1_000),
            ]
        }
        #expect(level == .bad)
        #expect(
            text == "Pool saturated 43% of the last 10 s: 2 reads wait, oldest ui 12.0 ms; "
                + "report holds 1 of 4 readers (3.41 s)"
        )
    }

    @Test func waitsThatJustEndedAreStillReported() {
        let (_, text) = verdict { sample in
            sample.saturation = 0.5
            if sample.sequence < 90 {
                sample.database.waitingReaders = [waiter("ui", 1_000), waiter("ui", 900)]
            }
        }
        #expect(text == "Pool saturated 50% of the last 10 s: no waiters now; up to 2 earlier")
    }

    @Test func anIdlePoolIsReportedAsIdle() {
        let (level, text) = verdict { _ in }
        #expect(level == .good)
        #expect(text == "No waiters: 1.0 of 4 readers in use on average")
    }

    @Test func waitingWritersAreAWarning() {
        let (level, text) = verdict { sample in
            sample.database.waitingWriters = [waiter("pay", 2_000_000)]
            var writer = ConnectionStatus(label: "d.writer", role: .writer, state: .statement)
            writer.holder = AccessOrigin(name: "import")
            writer.heldNanoseconds = 300_000_000
            sample.database.connections = [writer]
        }
        #expect(level == .strained)
        #expect(
            text
                == "Writes queue: 1 write waits, oldest pay 2.00 ms; import holds the writer (300 ms)"
        )
    }

    @Test func anEndedRunStillReportsItsWaiters() {
        let (level, text) = verdict { sample in
            if sample.sequence == 50 {
                sample.database.waitingWriters = [waiter("pay", 2_000_000), waiter("buy", 1_000)]
            }
            if sample.sequence == 99 { sample.state = .finished }
        }
        #expect(level == .strained)
        #expect(text.contains("t most 2 writes were observed to wait at the same time"), "\(text)")
    }

    @Test func theVerdictOfAQueueCountsWritersAndUsesSamples() {
        let (level, text) = verdict { sample in
            sample.database.kind = .queue
            sample.database.readers = nil
            sample.saturation = nil
            sample.utilization = nil
            sample.database.waitingWriters = [waiter("pay", 2_000_000)]
            sample.database.waitingReaders = [waiter("ui", 1_000)]
            sample.database.connections = [
                ConnectionStatus(label: "d", role: .queue, state: .statement)
            ]
        }
        #expect(level == .bad)
        #expect(
            text.hasPrefix(
                "Queue saturated 100% of the last 10 s: 1 read and 1 write wait, "
                    + "oldest pay 2.00 ms"
            )
        )
    }

    @Test(arguments: [
        (RunState.preparing, "Building the dataset"),
        (.paused, "The load is paused. No waiters"),
        (.draining, "The load has ended"),
        (.finished, "Finished after 29.9 s: no waiters observed"),
    ])
    func theStateOfTheRunComesFirst(state: RunState, start: String) {
        let (_, text) = verdict { $0.state = state }
        #expect(text.hasPrefix(start), "\(text)")
    }

    @Test func aNarrowScreenShowsFewerWords() {
        var history = History()
        for sample in Story().samples(until: 31) { history.append(sample) }
        let verdict = Verdict(history)
        for width in [36, 56, 76, 116] {
            let text = verdict.text(fitting: width, isASCII: false)
            #expect(CellText.width(of: text) <= width, "\(text)")
            #expect(text.contains("64%"))
        }
    }

    @Test(arguments: [
        (WALPin.Cause.oldReader, "pinned by report"),
        (.overlappingReaders, "reads have overlapped"),
        (.largeTransaction, "a large transaction by report"),
        (.noCheckpoint, "has not been checkpointed by report for 2.00 s"),
        (.otherProcess, "another process"),
    ])
    func eachCauseOfAPinIsDescribed(cause: WALPin.Cause, words: String) throws {
        let origin = AccessOrigin(name: "report")
        let pin = WALPin(by: origin, cause: cause, ageNanoseconds: 2_000_000_000)
        let text = try #require(WALWords.pin(WALStatus(bytes: 1, pin: pin)))
        #expect(text.contains(words), "\(text)")
    }
}
