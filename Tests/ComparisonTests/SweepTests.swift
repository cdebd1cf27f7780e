import Comparison
import Testing

struct SweepTests {
    private func texts(_ text: String) throws -> [String] {
        try Sweep(text).values.map(\.text)
    }

    @Test func listsAndRangesAreParsed() throws {
        #expect(try texts("readers=1,2,4,8") == ["1", "2", "4", "8"])
        #expect(try texts("readers=1..10") == ["1", "2", "4", "8", "10"])
        #expect(try texts("readers=1..4/4") == ["1", "2", "3", "4"])
        #expect(try texts("readers=1, 3..6") == ["1", "3", "6"])
        #expect(try texts("write-share=0..0.5") == ["0", "0.125", "0.25", "0.375", "0.5"])
        #expect(try texts("write-share=0%,50%") == ["0", "0.5"])
        #expect(try texts("write-share=0.1..0.3/3") == ["0.1", "0.2", "0.3"])
        #expect(try texts("hold=1ms..100ms/3") == ["1ms", "10ms", "100ms"])
        #expect(try texts("hold=500us,2s") == ["500us", "2s"])
        #expect(try texts("rate=100/s,200") == ["100/s", "200/s"])
        #expect(try texts("rate=10/s..1000/s/3") == ["10/s", "100/s", "1000/s"])
        #expect(try texts("rate=100/s..200/s").count == 5)
        #expect(try Sweep("readers=1,2,4").counts == [1, 2, 4])
        #expect(try texts("journal=delete, wal") == ["delete", "wal"])
        let values = try Sweep("clients.ui.think=1ms..5ms,9ms")
        #expect(values.variable == .setting("clients.ui.think"))
        #expect(values.values.map(\.text) == ["1ms..5ms", "9ms"])
    }

    @Test(
        arguments: [
            ("readers", "has no '='"),
            ("reader=1,2", "'reader' in 'reader=1,2' cannot be swept; did you mean 'readers'?"),
            ("write_share=0..1", "did you mean 'write-share'?"),
            ("color=red", "expected one of: readers, write-share, hold, rate, workers, journal"),
            ("color=red", "needs its path, such as clients.ui.hold"),
            ("journal=wall", "'wall' is not a journal mode; did you mean 'wal'?"),
            ("clients.ui.workers=1,1", "lists 1 twice"),
            ("readers=0", "not a whole number from 1 to 1000"),
            ("readers=1,,2", "lacks a value"),
            ("readers=", "lacks a value"),
            ("readers=4..1", "must start with the smaller value"),
            ("readers=1,2,1..4", "twice"),
            ("readers=1..4/x", "is not a number of points"),
            ("readers=1..500/400", "is not a number of points"),
            ("write-share=1.5", "not a share from 0 to 1"),
            ("hold=5", "has no unit"),
            ("hold=5mz", "did you mean 'ms'?"),
            ("rate=0", "not a rate"),
        ]
    )
    func mistakesAreReported(text: String, part: String) {
        let failure = #expect(throws: Sweep.Failure.self) { try Sweep(text) }
        #expect(failure?.description.contains(part) == true, "\(failure?.description ?? "")")
    }
}
