import Findings
import Foundation
import PoolgaugeAgent
import SQLiteWatch
import Telemetry

/// The kind of values that a session of a recording contains.
package enum RecordedKind: String, Sendable, Codable, Equatable {
    /// Samples of a run.
    case run
    /// Reports on a database that other programs use.
    case watch
    /// The statuses of a program with an agent.
    case agent
}

/// A sample of a run, a report of a watch, or the status of an agent.
package enum RecordedValue: Sendable, Equatable {
    case run(Sample)
    case watch(WatchReport)
    case agent(AgentStatus)

    package var kind: RecordedKind {
        switch self {
        case .run: .run
        case .watch: .watch
        case .agent: .agent
        }
    }

    /// The name of the source: the arm, the path of the database, or the agent.
    package var sourceName: String {
        switch self {
        case .run(let sample): sample.arm
        case .watch(let report): report.file.path
        case .agent(let status): status.name
        }
    }

    /// Returns the value as JSON with sorted keys, which makes consecutive texts similar.
    func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return switch self {
        case .run(let sample): Array(try encoder.encode(sample))
        case .watch(let report): Array(try encoder.encode(report))
        case .agent(let status): Array(try encoder.encode(status))
        }
    }

    init(json: [UInt8], kind: RecordedKind) throws {
        let decoder = JSONDecoder()
        let data = Data(json)
        switch kind {
        case .run: self = .run(try decoder.decode(Sample.self, from: data))
        case .watch: self = .watch(try decoder.decode(WatchReport.self, from: data))
        case .agent: self = .agent(try decoder.decode(AgentStatus.self, from: data))
        }
    }

    /// Returns the value with `change` applied to the SQL of each connection.
    ///
    /// The statements of a watch are already masked, unless the user requested their literals.
    func mappingSQL(_ change: (String) -> String) -> RecordedValue {
        switch self {
        case .run(var sample):
            Self.changeSQL(of: &sample.database, change)
            return .run(sample)
        case .agent(var status):
            Self.changeSQL(of: &status.database, change)
            return .agent(status)
        case .watch: return self
        }
    }

    private static func changeSQL(of database: inout DatabaseStatus, _ change: (String) -> String) {
        for index in database.connections.indices {
            database.connections[index].sql = database.connections[index].sql.map(change)
        }
    }
}
