import Foundation
import Scenarios
import Testing

@testable import LoadTestSupport
@testable import WorkloadEngine

/// Tests the messages between a run and a process that the run started.
@Suite(.timeLimit(.minutes(1)))
struct RemoteTargetServerTests {
    @Test func anArmSentToAnotherProcessIsUnchanged() throws {
        var arm = Arm(name: "a", kind: .pool, library: .raw)
        arm.begin = .exclusive
        arm.busyTimeout = .milliseconds(1500)
        arm.busyRetry = .fixed(.microseconds(500))
        arm.isGuarded = true
        var writer = WireWriter()
        try writer.add(json: arm)
        var reader = WireReader(writer.bytes)
        #expect(try reader.json() == arm)
    }

    @Test func messagesAreDecodedUnchanged() throws {
        let values: [WorkloadValue] = [
            .null, .integer(.min), .real(-0.5), .text("zwölf"), .blob([0, 255]),
        ]
        var arm = Arm(name: "other", kind: .queue, readers: 3, journal: .wal, synchronous: "off")
        arm.pragmas = [Arm.Pragma(name: "cache_size", value: "-10")]
        let messages: [RemoteMessage] = [
            .open(arm, path: "/a b/c"), .perform(.write, client: "pay"), .run("SELECT 1", values),
            .query("SELECT ?", []), .finish, .abort, .entered, .done, .count(12),
            .rows([values, []]), .failed(.busy("SQLITE_BUSY"), "locked"),
            .failed(.interrupted, ""), .failed(.busy("SQLITE_BUSY"), "", BusyFailure()),
            .failed(
                .busy("SQLITE_BUSY"),
                "locked",
                BusyFailure(
                    statement: "COMMIT",
                    handler: .gaveUp(waited: 7, timeout: 5),
                    holder: "pay"
                )
            ),
            .failed(.interrupted, "", BusyFailure(handler: .gaveUp(waited: 7, timeout: nil))),
            .failed(.interrupted, "", BusyFailure(handler: .skipped)),
        ]
        for message in messages { #expect(try RemoteMessage(message.encoded()) == message) }
    }

    @Test(arguments: [
        RemoteMessage.run("SELECT 1", [.text("a"), .integer(1)]),
        .open(Arm(name: "a", kind: .pool), path: "/a"), .failed(.interrupted, "", BusyFailure()),
    ])
    func truncatedMessagesAreRejected(message: RemoteMessage) throws {
        let bytes = try message.encoded()
        for length in 0..<bytes.count {
            #expect(throws: WireReader.Malformed.self) {
                try RemoteMessage(Array(bytes.prefix(length)))
            }
        }
    }

    @Test func invalidJSONIsRejected() throws {
        var writer = WireWriter()
        try writer.add(json: ["neither": "an arm"])
        var reader = WireReader(writer.bytes)
        #expect(throws: WireReader.Malformed.self) { try reader.json() as Arm }
    }

    @Test func accessesArePerformedAndErrorsAreReported() throws {
        let target = FakeTarget(
            clock: SimulatedClock(),
            .init(
                beforeAccess: { if $0.number == 1 { throw FakeFailure.busy } },
                rows: { _, values in [values] }
            )
        )
        let (questions, answers) = (Pipe(), Pipe())
        let server = RemoteTargetServer(
            factory: FakeFactory(target: target),
            channel: RemoteChannel(
                input: questions.fileHandleForReading.fileDescriptor,
                output: answers.fileHandleForWriting.fileDescriptor
            )
        )
        let hasEnded = DispatchSemaphore(value: 0)
        let thread = Thread {
            server.run()
            hasEnded.signal()
        }
        thread.start()
        defer {
            try? questions.fileHandleForWriting.close()
            // The server may still be reading. If the pipes were closed now, other tests might
            // reuse their descriptors.
            withExtendedLifetime(answers) { hasEnded.wait() }
        }
        let channel = RemoteChannel(
            input: answers.fileHandleForReading.fileDescriptor,
            output: questions.fileHandleForWriting.fileDescriptor
        )
        func request(_ message: RemoteMessage) throws -> RemoteMessage {
            try channel.send(message)
            return try channel.receive()
        }
        #expect(try request(.open(Arm(name: "a", kind: .queue), path: "x")) == .done)
        #expect(try request(.perform(.write, client: "pay")) == .entered)
        #expect(try request(.run("U", [.integer(1)])) == .count(1))
        #expect(try request(.query("S", [.text("b")])) == .rows([[.text("b")]]))
        #expect(try request(.finish) == .done)
        guard case .failed(let failure, _, _) = try request(.perform(.write, client: "pay")) else {
            Issue.record("expected a busy database")
            return
        }
        #expect(failure == .busy("SQLITE_BUSY"))
        #expect(try request(.perform(.read, client: "pay")) == .entered)
        #expect(try request(.abort) == .done)
        #expect(target.accesses.map(\.client) == ["pay", "pay", "pay"])
    }
}
