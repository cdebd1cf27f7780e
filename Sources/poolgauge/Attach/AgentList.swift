import Foundation
import PoolgaugeAgent
import SQLiteWatch
import Text

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
