import Synchronization
import Telemetry
import Text

/// An object that changes a running load's settings and reports their current values.
///
/// All methods are safe to call from any thread. Workers apply the changes at their next turn.
final class LoadSteering: Sendable {
    private struct State: Sendable {
        /// The requested number of workers of each client, before the share of writes is applied.
        var workers: [Int]
        /// The requested rate of each client, in arrivals per second, before the share of writes is
        /// applied, or `nil` for the declared rate.
        var rates: [Double?]
        /// The requested hold time of each client, in nanoseconds, or `nil` for the declared time.
        var holdTimes: [UInt64?]
        var rateFactor = 1.0
        var writeShare: Double?
    }

    private let clients: [ClientPlan]
    private let control: RunControl
    private let phases: PhasePlan
    private let balance: WriteBalance
    private let state: Lock<State>

    init(clients: [ClientPlan], control: RunControl, phases: PhasePlan) {
        self.clients = clients
        self.control = control
        self.phases = phases
        balance = WriteBalance(clients)
        state = Lock(
            State(
                workers: clients.map(\.client.workers),
                rates: clients.map { _ in nil },
                holdTimes: clients.map { _ in nil }
            )
        )
    }

    /// Applies a change.
    ///
    /// - Throws: ``LoadSettingError`` if the client is unknown, the client does not have the
    ///   setting, or the value is out of range.
    func set(_ setting: LoadSetting) throws {
        try state.withLock { state in
            try change(&state, setting)
            apply(state)
        }
        control.wakeAll()
    }

    private func change(_ state: inout State, _ setting: LoadSetting) throws {
        switch setting {
        case .workers(let name, let count):
            let index = try self.index(of: name)
            try check(
                (0...1000).contains(count),
                problem: "workers must be from 0 to 1000, not \(count)"
            )
            if let owner = clients[index].client.workersOf,
                clients.contains(where: { $0.name.name == owner })
            {
                throw LoadSettingError(
                    description: "client '\(name)' uses the workers of '\(owner)'; change those"
                )
            }
            state.workers[index] = count
            for (other, client) in clients.enumerated() where client.client.workersOf == name {
                state.workers[other] = count
            }
        case .rate(let name, let rate):
            let index = try self.index(of: name)
            try check(
                clients[index].arrivals != nil,
                problem: "client '\(name)' is a closed loop and has no arrival rate"
            )
            try check(
                rate.map { $0 >= 0 && $0 <= 1e7 } ?? true,
                problem: "a rate must be from 0 to 10000000/s, not \(rate ?? 0)"
            )
            state.rates[index] = rate
        case .rateFactor(let factor):
            try check(
                factor >= 0 && factor <= 1000,
                problem: "the rate factor must be from 0 to 1000, not \(factor)"
            )
            state.rateFactor = factor
        case .writeShare(let share):
            try check(
                balance.share(of: nil) != nil,
                problem: "the share of writes cannot change without both reads and writes"
            )
            try check(
                share.map { $0 >= 0 && $0 <= 1 } ?? true,
                problem: "the share of writes must be from 0 to 1, not \(share ?? 0)"
            )
            state.writeShare = share
        case .holdTime(let name, let seconds):
            let index = try self.index(of: name)
            try check(clients[index].holdTime > 0, problem: "client '\(name)' has no hold")
            try check(
                seconds.map { $0 > 0 && $0 <= 86_400 } ?? true,
                problem: "a hold must be longer than 0 s and at most 86400 s, not \(seconds ?? 0) s"
            )
            state.holdTimes[index] = seconds.map { UInt64($0 * 1e9) }
        }
    }

    private func check(_ condition: Bool, problem: String) throws {
        guard condition else { throw LoadSettingError(description: problem) }
    }

    private func index(of name: String) throws -> Int {
        if let index = clients.firstIndex(where: { $0.name.name == name }) { return index }
        let known = clients.map(\.name.name)
        throw LoadSettingError(
            description: "no client in this run has the name '\(name)'"
                + NearestName.hint(name, among: known)
        )
    }

    private func apply(_ state: State) {
        let now = control.now()
        for (index, plan) in clients.enumerated() {
            let factors = balance.factors(of: index, at: state.writeShare)
            let newSettings = ClientSettings.Values(
                workers: plan.arrivals == nil && plan.turns == nil
                    ? factors.scaled(workers: state.workers[index]) : state.workers[index],
                cumulativeWeights: factors.weights.reduce(into: []) { sums, weight in
                    sums.append((sums.last ?? 0) + weight)
                },
                holdTime: state.holdTimes[index] ?? plan.holdTime
            )
            let hasNewRate = plan.arrivals.map { arrivals in
                let curve =
                    state.rates[index].map {
                        RateCurve(rate: $0, end: phases.end).only(in: plan.windows)
                    } ?? plan.declaredCurve
                let before = arrivals.curve
                arrivals.steer(from: now, by: curve, times: state.rateFactor * factors.load)
                return arrivals.curve != before
            }
            if hasNewRate == true || plan.settings.read() != newSettings {
                plan.settings.change { $0 = newSettings }
            }
        }
    }

    func values(at now: UInt64) -> LoadSettings {
        state.withLock { state in
            LoadSettings(
                rateFactor: state.rateFactor,
                writeShare: balance.share(of: state.writeShare),
                clients: clients.enumerated().map { index, plan in
                    let settings = plan.settings.read()
                    return LoadSettings.Client(
                        name: plan.name.name,
                        workers: settings.workers,
                        rate: plan.arrivals?.curve.rate(at: now),
                        holdSeconds: plan.holdTime > 0
                            ? settings.holdTime.secondsFromNanoseconds : nil,
                        writeShare: balance.share(of: index, at: state.writeShare)
                    )
                }
            )
        }
    }
}

/// A type that calculates the factors that change the share of writes in a load.
///
/// The factors preserve the total load of the open loops, in arrivals per second, and the total
/// load of the closed loops, in workers.
struct WriteBalance: Sendable {
    struct Factors: Sendable, Equatable {
        /// The factor for the client's arrival rate or number of workers.
        var load: Double
        var weights: [Double]

        /// Scales a number of workers.
        ///
        /// At least one worker remains unless the factor is 0.
        func scaled(workers: Int) -> Int {
            guard load > 0 else { return 0 }
            return workers > 0 ? max(1, Int((Double(workers) * load).rounded())) : 0
        }
    }

    private struct Part: Sendable {
        var isOpen: Bool
        /// The load, in arrivals per second or in workers.
        var load: Double
        var weights: [Double]
        var writes: [Bool]

        var share: Double {
            let sum = weights.reduce(0, +)
            guard sum > 0 else { return 0 }
            return zip(weights, writes).reduce(0) { $0 + ($1.1 ? $1.0 : 0) } / sum
        }
    }

    private let parts: [Part?]
    private let weights: [[Double]]
    /// The declared share of writes in the open loops, or `nil` if this share cannot change.
    private let openShare: Double?
    /// The declared share of writes in the closed loops, or `nil` if this share cannot change.
    private let closedShare: Double?

    init(_ clients: [ClientPlan]) {
        weights = clients.map(\.weights)
        let parts = clients.map { plan -> Part? in
            guard plan.makesOperations else { return nil }
            return Part(
                isOpen: plan.arrivals != nil,
                load: plan.averageRate ?? Double(plan.client.workers),
                weights: plan.weights,
                writes: plan.writes
            )
        }
        self.parts = parts
        func share(_ isOpen: Bool) -> Double? {
            let group = parts.compactMap { $0 }.filter { $0.isOpen == isOpen }
            let sum = group.reduce(0) { $0 + $1.load }
            guard sum > 0 else { return nil }
            let share = group.reduce(0) { $0 + $1.load * $1.share } / sum
            return share > 0 && share < 1 ? share : nil
        }
        openShare = share(true)
        closedShare = share(false)
    }

    /// Returns the requested share of writes, or the declared share if `requested` is `nil`.
    ///
    /// The result is `nil` if the share cannot change.
    func share(of requested: Double?) -> Double? {
        guard let declared = openShare ?? closedShare else { return nil }
        return requested ?? declared
    }

    /// Returns a client's share of writes, or `nil` for a client without operations.
    func share(of index: Int, at requested: Double?) -> Double? {
        guard var part = parts[index] else { return nil }
        part.weights = factors(of: index, at: requested).weights
        return part.share
    }

    func factors(of index: Int, at requested: Double?) -> Factors {
        let unchanged = Factors(load: 1, weights: weights[index])
        guard let requested, let part = parts[index],
            let declared = part.isOpen ? openShare : closedShare
        else { return unchanged }
        let write = requested / declared
        let read = (1 - requested) / (1 - declared)
        let load = part.share * write + (1 - part.share) * read
        // A client with only reads or only writes keeps its weights. Only its load changes.
        guard part.share > 0, part.share < 1 else {
            return Factors(load: load, weights: part.weights)
        }
        let weights = zip(part.weights, part.writes).map { $0 * ($1 ? write : read) }
        return Factors(load: load, weights: weights)
    }
}

/// A client's settings that can change while the load is running.
///
/// Workers check for changes before each turn, at the cost of one atomic load.
final class ClientSettings: Sendable {
    struct Values: Sendable, Equatable {
        /// The number of active workers.
        ///
        /// Workers with higher numbers are inactive.
        var workers: Int
        var cumulativeWeights: [Double]
        /// The length of a hold or a snapshot, in nanoseconds.
        var holdTime: UInt64
    }

    private let values: Lock<Values>
    private let epochValue = Atomic<UInt64>(1)

    init(_ values: Values) {
        self.values = Lock(values)
    }

    @inline(__always)
    var epoch: UInt64 { epochValue.load(ordering: .acquiring) }

    func read() -> Values { values.withLock { $0 } }

    /// Changes the settings.
    ///
    /// The caller must wake sleeping workers.
    func change(_ body: (inout Values) -> Void) {
        values.withLock { body(&$0) }
        epochValue.add(1, ordering: .acquiringAndReleasing)
    }
}

/// The error for an invalid change to a running load.
public struct LoadSettingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The requested change and the reason it is invalid.
    public let description: String
}
