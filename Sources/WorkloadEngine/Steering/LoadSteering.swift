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
    /// - Throws: ``LoadKnobError`` if the client is unknown, the client does not have the
    ///   setting, or the value is out of range.
    func set(_ knob: LoadKnob) throws {
        try state.withLock { state in
            try change(&state, knob)
            apply(state)
        }
        control.wakeAll()
    }

    private func change(_ state: inout State, _ knob: LoadKnob) throws {
        switch knob {
        case .workers(let name, let count):
            let index = try self.index(of: name)
            try check((0...1000).contains(count), "workers must be from 0 to 1000, not \(count)")
            state.workers[index] = count
        case .rate(let name, let rate):
            let index = try self.index(of: name)
            try check(
                clients[index].arrivals != nil,
                "client '\(name)' is a closed loop and has no arrival rate"
            )
            try check(
                rate.map { $0 >= 0 && $0 <= 1e7 } ?? true,
                "a rate must be from 0 to 10000000/s, not \(rate ?? 0)"
            )
            state.rates[index] = rate
        case .rateFactor(let factor):
            try check(
                factor >= 0 && factor <= 1000,
                "the rate factor must be from 0 to 1000, not \(factor)"
            )
            state.rateFactor = factor
        case .writeShare(let share):
            try check(
                balance.share(of: nil) != nil,
                "the share of writes cannot change without both reads and writes"
            )
            try check(
                share.map { $0 >= 0 && $0 <= 1 } ?? true,
                "the share of writes must be from 0 to 1, not \(share ?? 0)"
            )
            state.writeShare = share
        case .holdTime(let name, let seconds):
            let index = try self.index(of: name)
            try check(clients[index].holdTime > 0, "client '\(name)' has no hold")
            try check(
                seconds.map { $0 > 0 && $0 <= 86_400 } ?? true,
                "a hold must be longer than 0 s and at most 86400 s, not \(seconds ?? 0) s"
            )
            state.holdTimes[index] = seconds.map { UInt64($0 * 1e9) }
        }
    }

    private func check(_ condition: Bool, _ problem: String) throws {
        guard condition else { throw LoadKnobError(description: problem) }
    }

    private func index(of name: String) throws -> Int {
        if let index = clients.firstIndex(where: { $0.name.name == name }) { return index }
        let known = clients.map(\.name.name)
        throw LoadKnobError(
            description: "no client in this run has the name '\(name)'"
                + NearestName.hint(name, among: known)
        )
    }

    private func apply(_ state: State) {
        let now = control.now()
        for (index, plan) in clients.enumerated() {
            let factors = balance.factors(of: index, at: state.writeShare)
            let newSettings = ClientKnobs.Settings(
                workers: plan.arrivals == nil
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
            if hasNewRate == true || plan.knobs.read() != newSettings {
                plan.knobs.change { $0 = newSettings }
            }
        }
    }

    func values(at now: UInt64) -> LoadKnobs {
        state.withLock { state in
            LoadKnobs(
                rateFactor: state.rateFactor,
                writeShare: balance.share(of: state.writeShare),
                clients: clients.enumerated().map { index, plan in
                    let settings = plan.knobs.read()
                    return LoadKnobs.Client(
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
