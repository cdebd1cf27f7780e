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
