import PoolgaugeAgent
import SQLiteWatch

/// The argument of `poolgauge attach`.
enum AgentAddress: Equatable {
    case name(String)
    case process(Int32)
    case socket(path: String)

    /// Interprets text with a slash as a path, and a number as a process ID.
    init(_ text: String) {
        if text.contains("/") {
            self = .socket(path: text)
        } else if let process = Int32(text) {
            self = .process(process)
        } else {
            self = .name(text)
        }
    }
}

/// The socket of an agent.
struct FoundAgent: Equatable {
    var path: String
    /// The name of the agent, or `nil` if only the path is known.
    var name: String?
}

/// The agents of one user.
struct AgentDirectory {
    let folder: AgentFolder

    /// Requests the status of each agent.
    ///
    /// - Throws: `AgentError` if other users can use the folder.
    func list() throws -> AgentList {
        var list = AgentList()
        for socket in try folder.checkedSockets() {
            do {
                let status = try AgentReader(path: socket.path).status()
                list.agents.append(AgentList.Entry(status, socket: socket.path))
            } catch  where socket.isProcessRunning {
                list.notes.append("\(socket.name) (PID \(socket.process)): \(error.description)")
            } catch {
                // The program ended without removing its socket. The next agent removes it.
            }
        }
        return list
    }

    /// Finds the running agent that matches an address.
    ///
    /// - Throws: `CommandFailure` if there is no such agent, or if there are several.
    func find(_ address: AgentAddress) throws -> FoundAgent {
        let matchingSockets: [AgentSocket]
        let description: String
        switch address {
        case .socket(let path): return FoundAgent(path: path)
        case .name(let name):
            matchingSockets = try running().filter { $0.name == name }
            description = "there is no agent with the name '\(name)'"
        case .process(let process):
            let running = try running()
            let matches = running.filter { $0.process == process }
            // A name may consist of digits.
            matchingSockets =
                matches.isEmpty ? running.filter { $0.name == String(process) } : matches
            description = "process \(process) has no agent"
        }
        guard let first = matchingSockets.first else {
            let names = try running().map { "\($0.name) (PID \($0.process))" }
            throw CommandFailure(
                description + "; "
                    + (names.isEmpty
                        ? "no agent is running. " + AgentList.startingHint
                        : "running agents: \(names.joined(separator: ", "))"),
                status: 1
            )
        }
        guard matchingSockets.count == 1 else {
            let choices = matchingSockets.map { "\($0.process) (\($0.name))" }.joined(
                separator: ", "
            )
            throw CommandFailure(
                "\(matchingSockets.count) agents match; specify the process or the socket: \(choices)"
            )
        }
        return FoundAgent(path: first.path, name: first.name)
    }

    /// Returns the sockets of running processes for agents with the given name.
    func sockets(named name: String) -> [FoundAgent] {
        ((try? running()) ?? []).filter { $0.name == name }
            .map { FoundAgent(path: $0.path, name: $0.name) }
    }

    private func running() throws -> [AgentSocket] {
        try folder.checkedSockets().filter(\.isProcessRunning)
    }
}
