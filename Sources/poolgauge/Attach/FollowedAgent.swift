import PoolgaugeAgent

/// An agent that is polled repeatedly, and found again after its program restarts.
struct FollowedAgent {
    private let directory: AgentDirectory
    private(set) var socket: FoundAgent
    private var follower = AgentFollower()
    /// The sockets of agents with the same name at the time of the last status.
    private var socketsAtLastStatus: Set<String> = []

    init(directory: AgentDirectory, socket: FoundAgent) {
        self.directory = directory
        self.socket = socket
    }

    /// Requests a status from the agent.
    ///
    /// If the known socket's process has ended, this method requests the status from an agent with
    /// the same name that started later.
    ///
    /// - Returns: The events to report.
    mutating func poll() -> [AgentFollower.Event] {
        do {
            let status = try AgentReader(path: socket.path).status()
            socketsAtLastStatus = Set(
                socket.name.map { directory.sockets(named: $0).map(\.path) } ?? []
            )
            return follower.receive(status, at: MonotonicTime.now)
        } catch {
            let events = follower.recordFailure(reason: error.description)
            // Without a name, the agent's next socket cannot be found. The known socket may, for
            // example, be forwarded from another machine.
            guard let name = socket.name else { return events }
            let candidates = directory.sockets(named: name)
            guard !candidates.contains(socket) else { return events }
            for candidate in candidates where !socketsAtLastStatus.contains(candidate.path) {
                guard let status = try? AgentReader(path: candidate.path).status() else { continue }
                socket = candidate
                return events + follower.receive(status, at: MonotonicTime.now)
            }
            return events
        }
    }
}
