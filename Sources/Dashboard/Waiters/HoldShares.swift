import Telemetry

/// The clients that held connections of one kind in the last seconds.
///
/// A single sample misses clients that held connections only between samples.
struct HoldShares: Sendable, Equatable {
    enum Resource: Sendable, CaseIterable {
        case readers
        case writer
        case connection

        fileprivate var role: ConnectionRole {
            switch self {
            case .readers: .reader
            case .writer: .writer
            case .connection: .queue
            }
        }
    }

    struct Holder: Sendable, Equatable {
        var name: String
        /// The average number of connections that the client held.
        var heldCount: Double
    }

    var resource: Resource
    /// The number of connections of this kind.
    var count: Int
    /// The holders, largest share first.
    var holders: [Holder]

    /// Returns the shares in the samples of the last `seconds`.
    static func all(in history: History, seconds: Double) -> [HoldShares] {
        var tallies: [Resource: [String: Int]] = [:]
        var sampleCount = 0
        history.visitSamples(last: seconds) { sample in
            sampleCount += 1
            for connection in sample.database.connections {
                guard let holder = connection.holder, connection.state != .idle,
                    let resource = Resource.allCases.first(where: { $0.role == connection.role })
                else { continue }
                tallies[resource, default: [:]][holder.name, default: 0] += 1
            }
        }
        guard sampleCount > 0, let database = history.displayedSample?.database else { return [] }
        return Resource.allCases.compactMap { resource in
            guard let tally = tallies[resource] else { return nil }
            let count =
                resource == .readers
                ? database.readers?.maximum ?? 1 : 1
            let holders = tally.map {
                Holder(name: $0.key, heldCount: Double($0.value) / Double(sampleCount))
            }
            return HoldShares(
                resource: resource,
                count: count,
                holders: holders.sorted { ($1.heldCount, $0.name) < ($0.heldCount, $1.name) }
            )
        }
    }
}
