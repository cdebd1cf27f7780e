import Testing

@testable import WorkloadEngine

struct ErrorMessagesTests {
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    @Test func theFirstMessageOfEachCodeAndClientIsKept() {
        let messages = ErrorMessages()
        messages.add(Failure(description: "first"), code: "A", client: "ui")
        messages.add(Failure(description: "second"), code: "A", client: "ui")
        messages.add(Failure(description: "other code"), code: "B", client: "ui")
        messages.add(Failure(description: "other client"), code: "A", client: "pay")
        #expect(messages.messages(of: "ui") == ["A": "first", "B": "other code"])
        #expect(messages.messages(of: "pay") == ["A": "other client"])
        #expect(messages.messages(of: "report") == nil)
    }

    @Test func aMessageIsOneShortLineOfText() {
        let messages = ErrorMessages()
        messages.add(Failure(description: "a\r\nb\u{1B}[31mc"), code: "A", client: "ui")
        messages.add(
            Failure(description: String(repeating: "x", count: 500)),
            code: "B",
            client: "ui"
        )
        let found = messages.messages(of: "ui")
        #expect(found?["A"] == "a b [31mc")
        #expect(found?["B"]?.count == 301)
    }

    @Test func aMessageThatRepeatsTheCodeIsOmitted() {
        let messages = ErrorMessages()
        messages.add(Failure(description: "SQLITE_FULL"), code: "SQLITE_FULL", client: "ui")
        #expect(messages.messages(of: "ui") == nil)
    }
}
