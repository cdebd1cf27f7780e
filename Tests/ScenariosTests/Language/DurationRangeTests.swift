import Testing
import YAML
import Yams

@testable import Scenarios

/// Tests that errors and the reference contain a key's declared range of times.
struct DurationRangeTests {
    private func problem(_ text: String, _ range: ClosedRange<Duration>) throws -> String? {
        let shape = MappingShape("part", "A part.", [.init("pause", .duration(range), "A pause.")])
        let log = YAMLLog(file: "f")
        let node = try Node(["pause": text])
        let reader = try #require(MappingReader(node, what: "a part", shape, log: log))
        let duration = reader.duration("pause")
        let messages = log.issues.map(\.message)
        #expect((duration == nil) == !messages.isEmpty)
        return messages.first
    }

    @Test(
        arguments: [
            (.zero ... .seconds(60), "61s", "of at most 60s"),
            (.milliseconds(5) ... .seconds(2), "4ms", "from 5ms to 2s"),
            (.milliseconds(5) ... .seconds(2), "3s", "from 5ms to 2s"),
            (
                .nanoseconds(1) ... .milliseconds(1500), "0s",
                "longer than 0 and no longer than 1.5s"
            ),
            (.seconds(1)...Quantity.longestDuration, "1ms", "of at least 1s"),
            (.positive, "0s", "longer than 0"),
        ] as [(ClosedRange<Duration>, String, String)]
    )
    func timesOutsideTheRangeAreRejected(
        range: ClosedRange<Duration>,
        text: String,
        words: String
    ) throws {
        #expect(try problem(text, range) == "'pause' of a part must be a time \(words)")
        #expect(ValueShape.duration(range).summary == "time \(words), such as 50ms")
        #expect(try problem("1s", range) == nil)
    }

    @Test func allTimesAreValidWithoutARange() throws {
        #expect(try problem("0s", .unlimited) == nil)
        #expect(try problem("8784h", .unlimited) == nil)
        #expect(ValueShape.duration().summary == "time, such as 50ms")
    }

    @Test func theSchemaContainsTheRange() {
        #expect(ScenarioSchema.json.contains("interrupted. It must be a time longer than 0."))
    }
}
