import Telemetry

/// Who held connections over the last seconds: where they change hands faster than anybody looks,
/// one look names nobody.
struct HoldShares: Sendable, Equatable {
    /// What was held.
    enum Resource: Sendable, CaseIterable {
        /// A pool's readers.
        case readers
        /// A pool's writer.
        case writer
        /// A queue's connection.
        case connection

        fileprivate var role: ConnectionRole {
            switch self {
            case .readers: .reader
            case .writer: .writer
            case .connection: .queue
            }
        }
    }

    /// One client's part.
    struct Holder: Sendable, Equatable {
        /// Who held.
        var name: String
        /// How many connections it held, on average.
        var held: Double
    }

    /// What was held.
    var resource: Resource
    /// How many of them there are.
    var count: Int
    /// Who held them, whoever held most first.
    var holders: [Holder]

    /// Adds up the samples of so many seconds before the one that is looked at.
    static func all(in history: History, seconds: Double) -> [HoldShares] {
        var tallies: [Resource: [String: Int]] = [:]
        var looks = 0
        history.visitSamples(last: seconds) { sample in
            looks += 1
            for connection in sample.database.connections {
                guard let holder = connection.holder, connection.state != .idle,
                    let resource = Resource.allCases.first(where: { $0.role == connection.role })
                else { continue }
                tallies[resource, default: [:]][holder.name, default: 0] += 1
            }
        }
        guard looks > 0, let database = history.latest?.database else { return [] }
        return Resource.allCases.compactMap { resource in
            guard let tally = tallies[resource] else { return nil }
            let count =
                resource == .readers
                ? database.readers?.maximum ?? 1 : 1
            let holders = tally.map {
                Holder(name: $0.key, held: Double($0.value) / Double(looks))
            }
            return HoldShares(
                resource: resource,
                count: count,
                holders: holders.sorted { ($1.held, $0.name) < ($0.held, $1.name) }
            )
        }
    }
}
