import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

struct TimeTravelTests {
    private let size = Size(width: 120, height: 40)

    private func dashboard(until end: Double = 31) -> DashboardModel {
        var model = DashboardModel()
        for sample in Story().samples(until: end) { model.ingest(sample) }
        return model
    }

    @Test func stepsMoveBySamples() {
        var model = dashboard()
        _ = model.handle(.key(.character("[")))
        #expect(model.isPaused)
        _ = model.handle(.key(.character("[")))
        #expect(abs(model.displayedHistory.now - 30.8) < 1e-6)
        _ = model.handle(.key(.character("]")))
        #expect(abs(model.displayedHistory.now - 30.9) < 1e-6)
        for _ in 0..<5 { _ = model.handle(.key(.character("]"))) }
        #expect(model.displayedHistory.now == 31)
        _ = model.handle(.key(.escape))
        #expect(!model.isPaused)
    }

    @Test(arguments: [("25", 25.0), ("0:24.5", 24.5), ("-6", 25.0), ("1e9", 31), ("0", 0)])
    func seekingShowsTheRequestedMoment(text: String, time: Double) throws {
        var model = dashboard()
        _ = model.handle(.key(.character("S")))
        for character in text { _ = model.handle(.key(.character(character))) }
        _ = model.handle(.key(.enter))
        #expect(model.overlay == nil)
        #expect(abs(model.displayedHistory.now - time) < 0.001)
        let sample = try #require(model.displayedHistory.displayedSample)
        #expect(abs(sample.time - time) < 0.001)
        if time == 25 {
            let picture = model.render(size: size).plainText
            #expect(picture.contains("import") && picture.contains("25.0 of 35.0 s"))
            #expect(model.displayedHistory.lanes[0].status?.holder?.name == "import")
            #expect(picture.contains("2.00 s"))
        }
    }

    @Test func anInvalidTimeIsReportedAndCanBeCorrected() {
        var model = dashboard()
        for key in "Sabc" { _ = model.handle(.key(.character(key))) }
        _ = model.handle(.key(.enter))
        #expect(model.render(size: size).plainText.contains("'abc' is not a time"))
        for _ in 0..<3 { _ = model.handle(.key(.backspace)) }
        #expect(!model.render(size: size).plainText.contains("is not a time"))
        _ = model.handle(.key(.escape))
        #expect(model.overlay == nil && !model.isPaused)
    }

    @Test func eventsAfterTheMomentAreNotShown() {
        var model = dashboard()
        model.enterTime("22")
        let messages = model.displayedHistory.newestEvents(10).map(\.message)
        #expect(messages.first == "cancel: no statement was running")
        #expect(!messages.contains { $0.contains("import began") })
    }

    @Test func collectionContinuesDuringTimeTravel() {
        var model = dashboard(until: 20)
        model.enterTime("10")
        let frozen = model.render(size: size)
        for sample in Story().samples(until: 31).dropFirst(201) { model.ingest(sample) }
        #expect(model.render(size: size) == frozen)
        _ = model.handle(.key(.character(" ")))
        #expect(model.displayedHistory.now == 31)
    }

    @Test func samplesUseBoundedMemory() throws {
        var sample = try #require(Story().samples(until: 0).first)
        let waiter = WaiterStatus(origin: AccessOrigin(name: "ui"), waitedNanoseconds: 1)
        sample.database.waitingReaders = Array(repeating: waiter, count: 5_000)
        var store = SampleStore(capacity: 100_000)
        for number in 0..<9_000 {
            sample.sequence = number
            sample.database.connections[0].sql =
                "SELECT \(number) " + String(repeating: "x", count: 4_000)
            store.append(sample)
        }
        #expect(store.firstStoredIndex > 0)
        #expect(store[store.firstStoredIndex - 1] == nil)
        let oldest = try #require(store[store.firstStoredIndex])
        #expect(oldest.sequence == store.firstStoredIndex)
        #expect(oldest.database.waitingReaders.count == SampleStore.maximumWaiterCount)
        let sql = try #require(oldest.database.connections[0].sql)
        #expect(sql.utf8.count <= SampleStore.maximumTextLength + 3)
        #expect(store.bytes <= SampleStore.budget)
    }
}

extension DashboardModel {
    /// Opens the prompt for a time, types the time, and presses Enter.
    fileprivate mutating func enterTime(_ text: String) {
        _ = handle(.key(.character("S")))
        for character in text { _ = handle(.key(.character(character))) }
        _ = handle(.key(.enter))
    }
}
