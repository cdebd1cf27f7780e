import PoolgaugeAgent

/// An agent that is requested repeatedly, and found again after its program restarts.
struct FollowedAgent {
    private let directory: AgentDirectory
    private(set) var socket: FoundAgent
    private var follower = AgentFollower()
    /// The sockets with the same name at the time of the last status.
    private var others: Set<String> = []

    init(directory: AgentDirectory, socket: FoundAgent) {
        self.directory = directory
        self.socket = socket
    }

    /// Requests a status from the known socket or, if its process has ended, from an agent with the
    /// same name that started later.
    ///
    /// - Returns: The events to report.
    mutating func poll() -> [AgentFollower.Event] {
        do {
            let status = try AgentReader(path: socket.path).status()
            others = Set(socket.name.map { directory.sockets(named: $0).map(\.path) } ?? [])
            return follower.receive(status, at: MonotonicTime.now)
        } catch {
            let events = follower.fail(error.description)
            // The socket of a path may belong to another machine.
            guard let name = socket.name else { return events }
            let candidates = directory.sockets(named: name)
            guard !candidates.contains(socket) else { return events }
            for candidate in candidates where !others.contains(candidate.path) {
                guard let status = try? AgentReader(path: candidate.path).status() else { continue }
                socket = candidate
                return events + follower.receive(status, at: MonotonicTime.now)
            }
            return events
        }
    }
}
