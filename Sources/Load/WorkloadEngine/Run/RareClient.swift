import Scenarios
import Text

extension Client {
    /// The measured time that contains at least one access of the client, whatever the seed, or
    /// `nil` if the client's times are shares of the measured time.
    ///
    /// The time does not include the client's own accesses.
    func longestGap(in scenario: Scenario) -> Duration? {
        let gap: Duration
        switch pace {
        case .open(let arrival):
            let rate = arrival.meanRate(in: scenario.measuredDuration)
            guard rate > 0 else { return nil }
            gap = .seconds(1 / rate)
        case .closed(.constant(let think)): gap = think
        case .closed(.uniform(let range)): gap = range.upperBound
        // Stratified think times are at most twice the mean. Others exceed eight times the mean
        // in one of 2,980 cases.
        case .closed(let think):
            guard case .exponential(let mean) = think else { return nil }
            gap = mean * (think.isStratified ? 2 : 8)
        case .every(.absolute(let period)): gap = period
        case .at(.absolute(let moment)): gap = moment
        case .every(.share), .at(.share): return nil
        }
        guard !phases.isEmpty else { return gap }
        let active = scenario.phases.filter { $0.isMeasured && phases.contains($0.name) }
            .reduce(Duration.zero) { $0 + $1.duration }
        // A client that is only active outside the measured phases has no accesses to measure.
        guard active > .zero else { return nil }
        return gap * (scenario.measuredDuration / active)
    }

    /// The measured time that contains at least one whole access of the client, whatever the seed,
    /// or `nil` if the client's times are shares of the measured time.
    package func representativeTime(in scenario: Scenario) -> Duration? {
        guard let gap = longestGap(in: scenario) else { return nil }
        // Times are rounded to milliseconds.
        return gap * 1.02 + (holdTime(in: scenario) ?? .zero)
    }

    /// The time for which each access of the client pauses or keeps its connection, or `nil` if it
    /// does not.
    func holdTime(in scenario: Scenario) -> Duration? {
        switch activity {
        case .hold(let span, _), .snapshot(let span, _):
            return span.resolved(in: scenario.measuredDuration)
        case .operations(_, let mix):
            return mix.map { operation in
                var isLocked = true
                return Step.idle(operation.steps, isLocked: &isLocked)
            }.max()
        default: return nil
        }
    }

    /// Whether other accesses may have to wait for the client's accesses.
    package var holdsLocks: Bool {
        switch activity {
        case .hold, .snapshot: true
        case .action(let action): action.isTimed
        default: writes
        }
    }
}

extension Scenario {
    /// Returns why a client of a complete run had no access, or `nil` if chance may be the reason.
    func absence(of name: String, after seconds: Double) -> String? {
        guard let client = clients.first(where: { $0.name == name }),
            let gap = client.longestGap(in: self)?.inSeconds, gap > seconds * 0.999
        else { return nil }
        let needed = ReportUnits.seconds((gap * 1.01).rounded(.up))
        let length = ReportUnits.seconds(seconds)
        return switch client.pace {
        case .open(let arrival):
            "\(name) was offered no access in \(length): its rate is "
                + "\(ReportUnits.rate(arrival.meanRate(in: measuredDuration))); measure for at "
                + "least \(needed) (--duration)"
        default:
            "\(name) was offered no access in \(length): there are up to "
                + "\(ReportUnits.seconds(gap)) between its accesses; measure for at least "
                + "\(needed) (--duration)"
        }
    }

    /// Returns why a client in a closed loop had no access in a complete run, or `nil` if its pauses
    /// may be the reason.
    ///
    /// An access that began before the measured part is not measured. If it lasts until the end, the
    /// client is stuck, although no access failed.
    func stall(of name: String, after seconds: Double) -> String? {
        guard let client = clients.first(where: { $0.name == name }),
            case .closed = client.pace, case .operations = client.activity,
            let gap = client.longestGap(in: self)?.inSeconds, gap <= seconds * 0.999
        else { return nil }
        return "\(name) started no access in \(ReportUnits.seconds(seconds)): all of its workers "
            + "were still in accesses that had begun before"
    }
}

extension Arrival {
    package func meanRate(in measured: Duration) -> Double {
        let parts = stages.map { stage in
            (rate: (stage.from + stage.to) / 2, length: stage.length.resolved(in: measured))
        }
        let length = parts.reduce(Duration.zero) { $0 + $1.length }
        guard length > .zero else { return rate }
        return parts.reduce(0) { $0 + $1.rate * ($1.length / length) }
    }
}
