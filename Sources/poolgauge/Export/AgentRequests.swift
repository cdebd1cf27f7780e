import PoolgaugeAgent
import Telemetry

/// A client that requests the status of an agent, even after its program has restarted.
final class AgentRequests: Sendable {
    private let directory: AgentDirectory
    private let address: AgentAddress
    private let path: Lock<String>

    /// Finds an agent.
    ///
    /// - Throws: An error with a remedy if there is no such agent, or if there are several.
    init(_ address: AgentAddress, in directory: AgentDirectory) throws {
        self.directory = directory
        self.address = address
        path = Lock(try directory.find(address).path)
    }

    /// Requests the status, or returns `nil` if the agent does not respond.
    func status() -> AgentStatus? {
        let lastPath = path.withLock { $0 }
        if let status = try? AgentReader(path: lastPath).status() { return status }
        guard let found = try? directory.find(address), found.path != lastPath,
            let status = try? AgentReader(path: found.path).status()
        else { return nil }
        path.withLock { $0 = found.path }
        return status
    }
}
