import Dashboard
import Telemetry
import TerminalUI
import WorkloadEngine

extension RunDisplay {
    /// Performs an action from the dashboard; the ticker shows the result.
    mutating func perform(_ action: DashboardAction) {
        switch action {
        case .quit, .setRefreshRate: break
        case .nextArm: perform(cycle.advance())
        case .interrupt(connection: let label?):
            if !run.interrupt(connection: label) {
                model.note("\(label) cannot be interrupted: it is not open", severity: .warning)
            }
        case .interrupt(connection: nil): run.interrupt()
        case .checkpoint(let mode): run.checkpoint(CheckpointMode(mode))
        case .makeSnapshot: run.makeSnapshot()
        case .releaseSnapshot(let label): run.releaseSnapshot(label: label)
        case .setLoadPaused(let isPaused): setLoadPaused(isPaused)
        case .setReaderCount(let count): setReaderCount(count)
        case .turn(let knob): turn(knob)
        case .copy(let text):
            if !terminal.copy(text) {
                model.note("this terminal does not allow clipboard access", severity: .warning)
            }
        }
    }

    /// Changes a knob for this run and the following ones.
    private mutating func turn(_ knob: LoadKnob) {
        do {
            try run.set(knob)
            knobs[knob.place] = knob
            model.note("you set \(knob.words)")
        } catch {
            model.note("\(error)", severity: .warning)
        }
    }

    private mutating func setLoadPaused(_ isPaused: Bool) {
        // The model contains the state of the newest sample, which is a tenth of a second old. If
        // it requests the current state, the user has since pressed the key twice.
        isLoadPaused = isPaused == isLoadPaused ? !isPaused : isPaused
        if isLoadPaused {
            run.pause()
            model.note("load paused: running accesses continue, no new ones start")
        } else {
            run.resume()
            model.note("load resumed")
        }
    }

    /// Rebuilds the pool and restarts the arm's run, because a pool's size is fixed when it is
    /// opened.
    private mutating func setReaderCount(_ count: Int) {
        let arm = scenario.arms[cycle.current]
        guard arm.kind == .pool else {
            model.note("\(arm.name) has a single connection and no readers", severity: .warning)
            return
        }
        guard (1...1000).contains(count), count != arm.readers else { return }
        scenario.arms[cycle.current].readers = count
        model.note("the pool is rebuilt with \(count) readers: the run restarts")
        perform(cycle.restart())
    }
}

extension LoadKnob {
    /// Identifies a knob; the newest value for each identity applies.
    enum Place: Hashable {
        case workers(String)
        case rate(String)
        case rateFactor
        case writeShare
        case holdTime(String)
    }

    /// The identity of the knob.
    var place: Place {
        switch self {
        case .workers(let client, _): .workers(client)
        case .rate(let client, _): .rate(client)
        case .rateFactor: .rateFactor
        case .writeShare: .writeShare
        case .holdTime(let client, _): .holdTime(client)
        }
    }

    /// A description of the new value for the ticker; nil values mean the scenario's values.
    var words: String {
        let usual = "the scenario's value"
        switch self {
        case .workers(let client, let count):
            return "\(client) to " + HumanUnits.counted(count, "worker", "workers")
        case .rate(let client, let rate):
            return "\(client) to \(rate.map(HumanUnits.rate) ?? usual)"
        case .rateFactor(let factor):
            return "all rates to \(HumanUnits.percent(factor))"
        case .writeShare(let share):
            return "the write share to \(share.map(HumanUnits.percent) ?? usual)"
        case .holdTime(let client, let seconds):
            let time = seconds.map {
                HumanUnits.duration(nanoseconds: UInt64(min(max($0, 0), 1e9) * 1e9))
            }
            return "the hold time of \(client) to \(time ?? usual)"
        }
    }
}

extension CheckpointMode {
    /// Converts the dashboard's checkpoint mode.
    fileprivate init(_ mode: DashboardAction.CheckpointMode) {
        switch mode {
        case .passive: self = .passive
        case .full: self = .full
        case .restart: self = .restart
        case .truncate: self = .truncate
        }
    }
}
