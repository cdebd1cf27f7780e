import Foundation
import PoolgaugeAgent
import SQLiteWatch
import Telemetry
import Text

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

/// The running agents of a user.
struct AgentList: Encodable {
    /// An agent and its database.
    struct Entry: Encodable {
        var name: String
        var process: Int32
        var socket: String
        var ageNanoseconds: UInt64
        var allowsControl: Bool
        /// The path of the database file, or `nil` for a database in memory.
        var database: String?

        init(_ status: AgentStatus, socket: String) {
            name = status.name
            process = status.process
            self.socket = socket
            ageNanoseconds = status.ageNanoseconds
            allowsControl = status.allowsControl
            database = status.database.path
        }
    }

    static let startingHint = """
        To start an agent, call Agent.startIfRequested(pool) from the PoolgaugeAgent library in \
        your program, and start the program with POOLGAUGE_AGENT=1.
        """

    let schema = "poolgauge.agents/1"
    var agents: [Entry] = []
    /// The agents that did not respond, with the reasons.
    var notes: [String] = []

    /// Returns the list as indented JSON with a newline at the end.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(self), as: UTF8.self)
        return Escaping.encodedJSON(text, keepingNewlines: true) + "\n"
    }

    /// The list as a table with a newline at the end.
    var text: String { text(isNumbered: false) }

    /// The list as a table with one-based numbers for the agents.
    var numberedText: String { text(isNumbered: true) }

    private func text(isNumbered: Bool) -> String {
        var lines = ["No agent is running. " + Self.startingHint]
        if !agents.isEmpty {
            var rows = [["name", "PID", "age", "database"]]
            for agent in agents {
                rows.append([
                    agent.name, String(agent.process),
                    HumanUnits.seconds(Double(agent.ageNanoseconds) / 1e9),
                    agent.database ?? "in memory",
                ])
            }
            if isNumbered {
                for index in rows.indices {
                    rows[index].insert(index == 0 ? "" : "\(index)", at: 0)
                }
            }
            lines = WatchText.table(rows)
        }
        lines += notes.map { "note: " + Escaping.terminal($0) }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// The state of a followed agent across restarts of its program.
///
/// Times are on this process's monotonic clock, in nanoseconds.
struct AgentFollower {
    enum Event: Equatable {
        /// A status, and the previous status of the same run of the program.
        case status(AgentStatus, since: AgentStatus?)
        /// The agent stopped responding.
        case lost(reason: String)
        /// The agent responds again after the given time without a status.
        case reconnected(process: Int32, gapNanoseconds: UInt64)

        /// Passes the status to `receiver`, or `nil` if the agent stopped responding.
        func report(to receiver: (AgentStatus?) -> Void) {
            switch self {
            case .status(let status, _): receiver(status)
            case .lost: receiver(nil)
            case .reconnected: break
            }
        }
    }

    /// The last received status.
    private(set) var last: AgentStatus?
    private var lastTime: UInt64?
    private var isLost = false

    /// Adds a status that was received at `now`.
    mutating func receive(_ status: AgentStatus, at now: UInt64) -> [Event] {
        // A program can restart between two requests.
        let hasRestarted =
            last.map {
                $0.process != status.process || $0.ageNanoseconds > status.ageNanoseconds
            } ?? false
        var events: [Event] = []
        if isLost || hasRestarted, let lastTime {
            events.append(
                .reconnected(process: status.process, gapNanoseconds: now - min(lastTime, now))
            )
        }
        events.append(.status(status, since: hasRestarted ? nil : last))
        (last, lastTime, isLost) = (status, now, false)
        return events
    }

    /// Records a failed request.
    ///
    /// Only the first of several consecutive failures produces an event.
    mutating func recordFailure(reason: String) -> [Event] {
        defer { isLost = true }
        return isLost ? [] : [.lost(reason: reason)]
    }
}

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
            return follower.receive(status, at: monotonicNanoseconds())
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
                return events + follower.receive(status, at: monotonicNanoseconds())
            }
            return events
        }
    }
}

/// A prompt that asks the user which of several agents to open.
struct AgentChoice {
    let list: AgentList

    /// Asks the user for the number or the name of an agent.
    ///
    /// If there is only one agent, returns it without asking.
    ///
    /// - Returns: The chosen agent, or `nil` if the input is empty.
    func ask() throws -> FoundAgent? {
        if list.agents.count == 1 { return agent(at: 0) }
        try StandardOutput.write(list.numberedText)
        while true {
            try StandardOutput.write("Open agent (1 to \(list.agents.count); Enter quits): ")
            guard let line = readLine(), !line.isEmpty else { return nil }
            if let index = index(of: line) { return agent(at: index) }
            try StandardOutput.write("'\(line)' is neither a number in the list nor a name\n")
        }
    }

    /// Returns the index of the agent with the given number or name.
    ///
    /// Returns `nil` if there is no such agent, or if several agents have the name.
    func index(of answer: String) -> Int? {
        let answer = answer.split(separator: " ").joined()
        if let number = Int(answer), list.agents.indices.contains(number - 1) { return number - 1 }
        let matches = list.agents.indices.filter { list.agents[$0].name == answer }
        return matches.count == 1 ? matches[0] : nil
    }

    private func agent(at index: Int) -> FoundAgent {
        FoundAgent(path: list.agents[index].socket, name: list.agents[index].name)
    }
}
