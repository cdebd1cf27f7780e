import Telemetry
import Testing

@testable import WorkloadEngine

/// Tests which error messages the results of clients contain.
struct ErrorMessagesTests {
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns the messages of the errors in the results, by client and code.
    private func messages(
        _ errors: [(client: String, code: String, text: String)],
        counted: [String: Set<String>]
    ) -> [String: [String: String]] {
        let messages = ErrorMessages()
        for error in errors {
            messages.add(Failure(description: error.text), code: error.code, client: error.client)
        }
        var clients = counted.mapValues { codes in
            var counts = AccessCounts()
            for code in codes { counts.errors[code] = 1 }
            return ClientResult(counts, AccessHistograms(), seconds: 1)
        }
        messages.add(to: &clients)
        return clients.compactMapValues(\.errorMessages)
    }

    @Test func theFirstMessageOfEachCodeAndClientIsKept() {
        let found = messages(
            [
                ("ui", "A", "first"), ("ui", "A", "second"), ("ui", "B", "other code"),
                ("pay", "A", "other client"),
            ],
            counted: ["ui": ["A", "B"], "pay": ["A"], "report": ["A"]]
        )
        #expect(found == ["ui": ["A": "first", "B": "other code"], "pay": ["A": "other client"]])
    }

    @Test func anErrorOutsideTheMeasuredPhasesHasNoMessage() {
        let errors = [("ui", "A", "during the warm-up"), ("ui", "B", "measured")]
        #expect(messages(errors, counted: ["ui": ["B"]]) == ["ui": ["B": "measured"]])
        #expect(messages(errors, counted: ["ui": []]) == [:])
    }

    @Test func aMessageIsOneShortLineOfText() {
        let long = String(repeating: "x", count: 500)
        let found = messages(
            [("ui", "A", "a\r\nb\u{1B}[31mc"), ("ui", "B", long)],
            counted: ["ui": ["A", "B"]]
        )
        #expect(found["ui"]?["A"] == "a b [31mc")
        #expect(found["ui"]?["B"]?.count == 301)
    }

    @Test func aMessageThatRepeatsTheCodeIsOmitted() {
        let found = messages(
            [("ui", "SQLITE_FULL", "SQLITE_FULL")],
            counted: ["ui": ["SQLITE_FULL"]]
        )
        #expect(found.isEmpty)
    }
}
