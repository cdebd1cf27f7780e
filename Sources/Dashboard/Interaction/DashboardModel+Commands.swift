import Telemetry
import TerminalUI
import Text

extension DashboardModel {
    /// Performs a command and returns the actions for the program.
    mutating func perform(_ command: DashboardCommand) -> [DashboardAction] {
        if let program, !command.applies(to: program) {
            note(refusal(command, for: program), severity: .warning)
            return []
        }
        if let screen = command.screen {
            self.screen = screen
            return []
        }
        if screen == .workload {
            switch command {
            case .left, .zoomOut: return stepSetting(up: false)
            case .right, .zoomIn: return stepSetting(up: true)
            default: break
            }
        }
        switch command.purpose {
        case .actions: return performRunCommand(command)
        case .time: performTimeCommand(command)
        case .navigation: move(command)
        case .display, .screens: return changeDisplay(command)
        }
        return []
    }

    private mutating func performRunCommand(_ command: DashboardCommand) -> [DashboardAction] {
        switch command {
        case .nextArm: return [.nextArm]
        case .snapshot: return [.makeSnapshot]
        case .release: return [.releaseSnapshot(label: releasedSnapshot)]
        case .interrupt: return interruptSelected()
        case .interruptAll: return interrupt(nil)
        // An agent runs only passive checkpoints.
        case .checkpoint where program != nil: return [.checkpoint(.passive)]
        case .checkpoint: overlay = .checkpoint(0)
        case .pauseLoad:
            switch history.displayedSample?.state {
            case .paused: return [.setLoadPaused(false)]
            case .running: return [.setLoadPaused(true)]
            default: note("there is no running load to pause", severity: .warning)
            }
        default: break
        }
        return []
    }

    /// Interrupts the selected connection, or the only connection.
    private mutating func interruptSelected() -> [DashboardAction] {
        let connections = history.displayedSample?.database.connections ?? []
        if let label = selectedConnection {
            guard connections.contains(where: { $0.label == label }) else {
                note("\(label) is already closed", severity: .warning)
                return []
            }
            return interrupt(label)
        }
        if connections.count == 1 { return interrupt(connections[0].label) }
        let hint = keys.key(for: .interruptAll).map { "; \($0.label) interrupts all" } ?? ""
        note(
            "select a connection with the arrow keys\(hint)",
            severity: .warning
        )
        return []
    }

    /// Interrupts the connection with a label or, if the label is `nil`, all connections.
    ///
    /// A later event reports the outcome.
    private mutating func interrupt(_ label: String?) -> [DashboardAction] {
        let name = label ?? "all connections"
        if pendingInterrupt != nil {
            pendingInterrupt?.recordRequest(name)
        } else if let sample = history.displayedSample {
            pendingInterrupt = PendingInterrupt(sample, name: name)
        }
        return [.interrupt(connection: label)]
    }

    private var selectedConnection: String? {
        switch screen {
        case .overview, .connections: view.selected
        default: nil
        }
    }

    /// The label of the snapshot to release, or `nil` for the oldest snapshot that the user took.
    private var releasedSnapshot: String? {
        screen == .snapshots ? view.selected : nil
    }

    private mutating func changeDisplay(_ command: DashboardCommand) -> [DashboardAction] {
        switch command {
        case .quit: return [.quit]
        case .slower, .faster:
            guard let rate = changeRefreshRate(command) else { return [] }
            note("refresh rate: \(HumanUnits.counted(Int(rate), "frame", "frames")) per second")
            return [.setRefreshRate(rate)]
        case .copy: return copySelected()
        case .record: return [.toggleRecording]
        default: changeAppearance(command)
        }
        return []
    }

    private mutating func copySelected() -> [DashboardAction] {
        guard let text = copyText else {
            note("there is nothing to copy", severity: .warning)
            return []
        }
        note("copied: \(text)")
        return [.copy(text)]
    }

    /// The text to copy: the selection or, without a selection, the verdict.
    private var copyText: String? {
        guard let sample = displayedHistory.displayedSample else { return nil }
        let database = sample.database
        switch screen {
        case .overview, .connections:
            if let connection = database.connections.first(where: { $0.label == view.selected }) {
                return connection.sql ?? connection.label
            }
        case .waiters:
            if let waiter = WaitingAccess.all(in: database).first(where: {
                $0.name == view.selected
            }) {
                return waiter.status.origin.name
            }
        case .snapshots, .compare, .latency, .workload:
            if let selected = view.selected { return selected }
        }
        return Verdict(displayedHistory).text(fitting: .max, isASCII: false)
    }
}
