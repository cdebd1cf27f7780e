import Dashboard
import Telemetry
import TerminalUI
import Text
import WorkloadEngine

extension RunDisplay {
    /// Performs an action of the dashboard and shows the result in the ticker.
    mutating func perform(_ action: DashboardAction) {
        switch action {
        case .quit, .setRefreshRate: break
        case .nextArm: perform(cycle.advance())
        case .toggleRecording: recording.toggle()
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
        case .changeSetting(let knob): setKnob(knob)
        case .copy(let text):
            if !terminal.copy(text) {
                model.note("this terminal does not allow clipboard access", severity: .warning)
            }
        }
    }

    /// Changes a setting for this run and later runs.
    private mutating func setKnob(_ knob: LoadKnob) {
        do {
            try run.set(knob)
            knobs[knob.setting] = knob
            model.note("you set \(knob.changeDescription)")
        } catch {
            model.note("\(error)", severity: .warning)
        }
    }

    private mutating func setLoadPaused(_ isPaused: Bool) {
        // The model contains the state as of the newest sample, which may be a tenth of a second
        // old. If the request matches the current state, the user has pressed the key twice since
        // that sample.
        isLoadPaused = isPaused == isLoadPaused ? !isPaused : isPaused
        if isLoadPaused {
            run.pause()
            model.note("load paused: running accesses continue, new accesses do not start")
        } else {
            run.resume()
            model.note("load resumed")
        }
    }

    /// Restarts the arm's run with a new pool, because the size of an open pool is fixed.
    private mutating func setReaderCount(_ count: Int) {
        let arm = scenario.arms[cycle.current]
        guard arm.kind == .pool else {
            model.note("\(arm.name) has a single connection and no readers", severity: .warning)
            return
        }
        guard (1...1000).contains(count), count != arm.readers else { return }
        scenario.arms[cycle.current].readers = count
        let readers = count == 1 ? "reader" : "readers"
        model.note("the pool is rebuilt with \(count) \(readers): the run restarts")
        perform(cycle.restart())
    }
}

extension LoadKnob {
    /// A setting, regardless of its value.
    ///
    /// Only the newest value of each setting applies.
    enum Setting: Hashable {
        case workers(String)
        case rate(String)
        case rateFactor
        case writeShare
        case holdTime(String)
    }

    var setting: Setting {
        switch self {
        case .workers(let client, _): .workers(client)
        case .rate(let client, _): .rate(client)
        case .rateFactor: .rateFactor
        case .writeShare: .writeShare
        case .holdTime(let client, _): .holdTime(client)
        }
    }

    /// A description of the new value, for the ticker.
    ///
    /// `nil` represents the scenario's value.
    var changeDescription: String {
        let defaultText = "the scenario's value"
        switch self {
        case .workers(let client, let count):
            return "\(client) to " + HumanUnits.counted(count, "worker", "workers")
        case .rate(let client, let rate):
            return "\(client) to \(rate.map(HumanUnits.rate) ?? defaultText)"
        case .rateFactor(let factor):
            return "all rates to \(HumanUnits.percent(factor))"
        case .writeShare(let share):
            return "the write share to \(share.map(HumanUnits.percent) ?? defaultText)"
        case .holdTime(let client, let seconds):
            let time = seconds.map {
                HumanUnits.duration(nanoseconds: UInt64(min(max($0, 0), 1e9) * 1e9))
            }
            return "the hold time of \(client) to \(time ?? defaultText)"
        }
    }
}

extension CheckpointMode {
    fileprivate init(_ mode: DashboardAction.CheckpointMode) {
        switch mode {
        case .passive: self = .passive
        case .full: self = .full
        case .restart: self = .restart
        case .truncate: self = .truncate
        }
    }
}
