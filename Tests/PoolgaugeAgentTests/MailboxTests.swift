import Telemetry
import Testing

@testable import PoolgaugeAgent

struct MailboxTests {
    private func events(_ count: Int) -> AsyncStream<ConnectionEvent> {
        AsyncStream { continuation in
            for time in 0..<count {
                continuation.yield(
                    ConnectionEvent(
                        timeNanoseconds: UInt64(time),
                        label: "main",
                        kind: .interruptRequested(metStatement: true)
                    )
                )
            }
            continuation.finish()
        }
    }

    private func text(_ messages: [Mailbox.Message]) -> [String] {
        messages.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test func eventsThatFitAreDelivered() async throws {
        let mailbox = try Mailbox(capacity: 10_000)
        await mailbox.post(events(3), to: 7)
        let messages = try #require(mailbox.take())
        #expect(messages.map(\.client) == [7, 7, 7, 7])
        #expect(messages.map(\.isLast) == [false, false, false, true])
        #expect(!text(messages).contains { $0.contains("lost") })
    }

    @Test func lostEventsAreCounted() async throws {
        let largeMailbox = try Mailbox(capacity: 10_000)
        await largeMailbox.post(events(1), to: 7)
        let length = try #require(largeMailbox.take()).first?.bytes.count ?? 0
        let mailbox = try Mailbox(capacity: 2 * length + length / 2)
        await mailbox.post(events(9), to: 7)
        let messages = try #require(mailbox.take())
        #expect(messages.count == 3)
        #expect(text(messages).last?.contains("{\"lost\":7}\n") == true)
    }

    @Test func theCountOfLostEventsPrecedesTheNextEvent() async throws {
        let mailbox = try Mailbox(capacity: 400)
        let (stream, continuation) = AsyncStream<ConnectionEvent>.makeStream()
        let posting = Task { await mailbox.post(stream, to: 7) }
        // An event of more than 400 bytes never fits.
        for label in [String(repeating: "x", count: 500), "main"] {
            continuation.yield(
                ConnectionEvent(
                    timeNanoseconds: 1,
                    label: label,
                    kind: .interruptRequested(metStatement: true)
                )
            )
        }
        continuation.finish()
        await posting.value
        let lines = try text(#require(mailbox.take()))
        #expect(lines.count == 2)
        let first = try #require(lines.first)
        let mark = try #require(first.range(of: "{\"lost\":1}"))
        let event = try #require(first.range(of: "\"main\""))
        #expect(mark.lowerBound < event.lowerBound)
    }
}
