import Foundation
import Telemetry

/// The messages from other threads to an agent's thread, with a pipe that wakes the agent's thread.
///
/// The descriptors stay open until the last task that can post messages has ended.
final class Mailbox: Sendable {
    /// A message for a client.
    struct Message: Sendable {
        var client: Int
        var bytes: [UInt8]
        /// Whether the response is complete.
        var isLast: Bool
    }

    private struct State {
        var messages: [Message] = []
        var byteCount = 0
        var isStopped = false
    }

    private let state = Lock(State())
    private let capacity: Int
    /// The descriptor that becomes readable when a message is posted.
    let readEnd: Int32
    private let writeEnd: Int32

    init(capacity: Int) throws(AgentError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw AgentError("cannot create a pipe: \(UnixSocket.lastError)")
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
        self.capacity = capacity
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Adds a message, unless it is part of a stream and the mailbox is full.
    ///
    /// - Returns: Whether the message was added.
    @discardableResult
    func post(_ message: Message) -> Bool {
        let isAdded = state.withLock { state in
            guard message.isLast || state.byteCount + message.bytes.count <= capacity else {
                return false
            }
            state.messages.append(message)
            state.byteCount += message.bytes.count
            return true
        }
        wake()
        return isAdded
    }

    /// Adds events as the chunks of a response, and then the end of the response.
    ///
    /// Events that do not fit are counted, and the count precedes the next chunk.
    func post(_ events: AsyncStream<ConnectionEvent>, to client: Int) async {
        var lost = LostEvents()
        for await event in events {
            guard let line = AgentService.line(event) else { continue }
            let bytes = lost.chunk + HTTPResponse.chunk(line)
            let isAdded = post(Message(client: client, bytes: bytes, isLast: false))
            lost.count = isAdded ? 0 : lost.count + 1
        }
        post(Message(client: client, bytes: lost.chunk + HTTPResponse.streamEnd, isLast: true))
    }

    /// Ends the agent's thread.
    func stop() {
        state.withLock { $0.isStopped = true }
        wake()
    }

    /// Returns and removes the messages, or returns `nil` if the agent's thread must end.
    func take() -> [Message]? {
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(readEnd, &bytes, bytes.count) > 0 {}
        return state.withLock { state in
            guard !state.isStopped else { return nil }
            defer { (state.messages, state.byteCount) = ([], 0) }
            return state.messages
        }
    }

    /// Wakes the agent's thread.
    ///
    /// If the pipe is full, the thread is about to wake.
    private func wake() {
        var byte: UInt8 = 0
        _ = write(writeEnd, &byte, 1)
    }
}

/// The events that a client of a stream has missed since the last event that it received.
struct LostEvents: Encodable {
    /// The number of lost events.
    var count = 0

    private enum CodingKeys: String, CodingKey {
        case count = "lost"
    }

    /// The line that reports the loss as a chunk of the stream, or an empty array if no event was
    /// lost.
    var chunk: [UInt8] {
        guard count > 0, let line = AgentService.line(self) else { return [] }
        return HTTPResponse.chunk(line)
    }
}
