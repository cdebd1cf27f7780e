import Dispatch
import Synchronization
import Telemetry

/// The measurements of a load's clients in periods that begin while the load runs.
///
/// An access belongs to the period in which it ends. All accesses of measured phases count.
package final class LoadPeriods: Sendable {
    /// A period.
    package struct Period: Sendable, Codable, Equatable {
        package var name: String
        /// The clients' measurements, keyed by name.
        package var clients: [String: Client]
    }

    /// A client's measurements in a period.
    package struct Client: Sendable, Codable, Equatable {
        /// The number of accesses that succeeded.
        package var completed: UInt64
        /// The number of failed accesses, keyed by the name of the result code.
        package var errors: [String: UInt64]
        /// The time from the scheduled start to the end of the access, in nanoseconds.
        package var response: LatencySummary?

        package var errorCount: UInt64 { errors.values.reduce(0, +) }
    }

    private struct Measurement: Sendable {
        var completed: UInt64 = 0
        var errors: [String: UInt64] = [:]
        var response = LatencyHistogram()
    }

    private struct State: Sendable {
        /// The name of the period that begins with the next sample, if any.
        var next: String?
        var names: [String] = []
        /// The measurements of each period, keyed by the client's name.
        var periods: [[String: Measurement]] = []
        /// The counts at the end of the previous collection, keyed by the client's name.
        var last: [String: AccessCounts] = [:]
    }

    private let state = Mutex(State())
    private let hasBegun = DispatchSemaphore(value: 0)

    /// The time to wait for the beginning of a period, in seconds, if the load does not run.
    private static let timeout = 2.0

    package init() {}

    /// Begins a period, which ends the previous one, and waits until it has begun.
    package func begin(_ name: String) {
        state.withLock { $0.next = name }
        _ = hasBegun.wait(timeout: .now() + Self.timeout)
    }

    /// Whether a period begins with the next sample.
    var isBeginning: Bool { state.withLock { $0.next != nil } }

    /// Begins the next period, after the measurements of the previous one have been added.
    func advance() {
        state.withLock { state in
            guard let name = state.next else { return }
            state.next = nil
            state.names.append(name)
            state.periods.append([:])
        }
        hasBegun.signal()
    }

    /// The periods, in order.
    package var results: [Period] {
        state.withLock { state in
            zip(state.names, state.periods).map { name, clients in
                Period(
                    name: name,
                    clients: clients.mapValues { measurement in
                        Client(
                            completed: measurement.completed,
                            errors: measurement.errors,
                            response: measurement.response.summary
                        )
                    }
                )
            }
        }
    }

    /// Adds what a client has done since the previous call.
    ///
    /// - Parameters:
    ///   - response: The response times since the previous call.
    ///   - counts: The counts since the start of the load.
    ///   - client: The name of the client.
    func add(_ response: LatencyHistogram, _ counts: AccessCounts, of client: String) {
        state.withLock { state in
            let last = state.last.updateValue(counts, forKey: client) ?? AccessCounts()
            guard let period = state.periods.indices.last else { return }
            var measurement = state.periods[period][client] ?? Measurement()
            measurement.completed += counts.completed - last.completed
            for (code, count) in counts.errors where count > last.errors[code, default: 0] {
                measurement.errors[code, default: 0] += count - last.errors[code, default: 0]
            }
            measurement.response.add(response)
            state.periods[period][client] = measurement
        }
    }
}
