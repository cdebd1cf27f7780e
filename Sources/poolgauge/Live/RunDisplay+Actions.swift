import Dashboard
import Telemetry
import TerminalUI
import WorkloadEngine

extension RunDisplay {
    /// Does what the dashboard asks for; what came of it is said in the ticker.
    mutating func perform(_ action: DashboardAction) {
        switch action {
        case .quit, .setRefreshRate: break
        case .nextArm: take(cycle.advance())
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
                model.note("this terminal has no clipboard for programs", severity: .warning)
            }
        }
    }

    /// Turns a knob, and keeps it turned for the runs that follow.
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
        // The screen knows the state of the newest sample, a tenth of a second ago: a key that asks
        // for what is so already was pressed twice since.
        isLoadPaused = isPaused == isLoadPaused ? !isPaused : isPaused
        if isLoadPaused {
            run.pause()
            model.note("you hold the load back: what runs goes on, nothing starts")
        } else {
            run.resume()
            model.note("the load goes on")
        }
    }

    /// Rebuilds the pool: its size is set when it is opened, so the arm's run starts over.
    private mutating func setReaderCount(_ count: Int) {
        let arm = scenario.arms[cycle.current]
        guard arm.kind == .pool else {
            model.note("\(arm.name) has one connection, not readers", severity: .warning)
            return
        }
        guard (1...1000).contains(count), count != arm.readers else { return }
        scenario.arms[cycle.current].readers = count
        model.note("the pool is rebuilt with \(count) readers: the run starts over")
        take(cycle.again())
    }
}

extension LoadKnob {
    /// Which knob it is: of what is asked of one, the newest holds.
    enum Place: Hashable {
        case workers(String)
        case rate(String)
        case rateFactor
        case writeShare
        case holdTime(String)
    }

    /// Which knob it is.
    var place: Place {
        switch self {
        case .workers(let client, _): .workers(client)
        case .rate(let client, _): .rate(client)
        case .rateFactor: .rateFactor
        case .writeShare: .writeShare
        case .holdTime(let client, _): .holdTime(client)
        }
    }

    /// What it is set to, for the ticker; nil values are the scenario's.
    var words: String {
        let usual = "as the scenario says"
        switch self {
        case .workers(let client, let count):
            return "\(client) to " + HumanUnits.counted(count, "worker", "workers")
        case .rate(let client, let rate):
            return "\(client) to \(rate.map(HumanUnits.rate) ?? usual)"
        case .rateFactor(let factor):
            return "all rates to \(HumanUnits.percent(factor))"
        case .writeShare(let share):
            return "the share of writes to \(share.map(HumanUnits.percent) ?? usual)"
        case .holdTime(let client, let seconds):
            let time = seconds.map {
                HumanUnits.duration(nanoseconds: UInt64(min(max($0, 0), 1e9) * 1e9))
            }
            return "the holds of \(client) to \(time ?? usual)"
        }
    }
}

extension CheckpointMode {
    /// The mode that the dashboard asks for.
    fileprivate init(_ mode: DashboardAction.CheckpointMode) {
        switch mode {
        case .passive: self = .passive
        case .full: self = .full
        case .restart: self = .restart
        case .truncate: self = .truncate
        }
    }
}
