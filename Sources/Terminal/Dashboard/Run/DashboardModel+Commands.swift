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
        screen.type.listsConnections ? view.selected : nil
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
        guard displayedHistory.displayedSample != nil else { return nil }
        if let row = view.selected, let text = displayedScreen.copyText(of: row) { return text }
        return Verdict(displayedHistory).text(fitting: .max, isASCII: false)
    }
}

extension DashboardModel: RowInteraction {
    static let momentName = "sample"

    var lastHelpPageStart: Int {
        KeyHelp(keys: keys, program: program, replayKeys: replayKeys, top: 0).lastTop(in: size)
    }

    var newest: History { history }

    var newestMomentTime: Double? {
        displayedHistory.displayedSample == nil ? nil : displayedHistory.newestTime
    }

    var parts: [String] { screen.parts }

    var sortableTitles: [String] { screen.type.sortableTitles }

    var highlightsFirstRow: Bool { screen.type.highlightsFirstRow }

    static func sharedCommand(for command: DashboardCommand) -> DashboardCommand? { command }

    mutating func step(by samples: Int) {
        if frozen == nil { frozen = history }
        frozen?.step(by: samples)
    }

    mutating func go(to time: Double) {
        if frozen == nil { frozen = history }
        frozen?.show(time: time)
    }

    /// Expands the selected part or row, or shows the whole screen again.
    mutating func expand() {
        guard screen == .overview, view.part == nil else {
            view.isExpanded.toggle()
            return
        }
        guard let selected = view.selected else {
            let tab = keys.key(for: .focusNext).map { "\($0.label) selects a panel" }
            let hint = [tab, "arrows select a connection"].compactMap(\.self)
            note("nothing is selected: " + hint.joined(separator: ", "), severity: .warning)
            return
        }
        screen = .connections
        view.selected = selected
        view.part = nil
        view.isExpanded = true
    }

    var rowNames: [String] { displayedScreen.rowNames }
}

extension DashboardModel {
    /// Changes the selected setting of the load by one step.
    mutating func stepSetting(up: Bool) -> [DashboardAction] {
        guard let sample = history.displayedSample else { return [] }
        let settings = SettingRow.all(in: sample)
        guard let setting = settings.first(where: { $0.name == view.selected }) ?? settings.first
        else {
            note("this run has no settings", severity: .warning)
            return []
        }
        view.selected = setting.name
        let current = requestedSettings[setting.name] ?? setting.value
        guard let value = setting.stepped(from: current, up: up) else {
            note(
                "'\(setting.name)' cannot be \(up ? "higher" : "lower") than "
                    + setting.text(current),
                severity: .warning
            )
            return []
        }
        requestedSettings[setting.name] = value
        return [setting.action(setting: value)]
    }

    /// Removes the requests that a sample confirms.
    ///
    /// A new run removes all requests.
    mutating func discardConfirmedSettings(in sample: Sample, isNewRun: Bool) {
        guard !requestedSettings.isEmpty else { return }
        if isNewRun {
            requestedSettings = [:]
            return
        }
        for setting in SettingRow.all(in: sample) {
            guard let requested = requestedSettings[setting.name] else { continue }
            if abs(requested - setting.value) <= 1e-6 * max(1, abs(requested)) {
                requestedSettings[setting.name] = nil
            }
        }
    }

    mutating func handle(_ key: Key, inCheckpoint choice: Int) -> [DashboardAction] {
        let modes = DashboardAction.CheckpointMode.allCases
        func request(_ mode: DashboardAction.CheckpointMode) -> [DashboardAction] {
            [.checkpoint(mode)]
        }
        switch key {
        case .enter:
            overlay = nil
            return request(modes[choice])
        case .escape: overlay = nil
        case .up, .left, .backTab: overlay = .checkpoint((choice + modes.count - 1) % modes.count)
        case .down, .right, .tab: overlay = .checkpoint((choice + 1) % modes.count)
        case .character(let letter):
            overlay = nil
            if let mode = modes.first(where: { $0.rawValue.first == letter }) {
                return request(mode)
            }
            if keys.command(for: key) == .checkpoint { return request(modes[choice]) }
        default: overlay = nil
        }
        return []
    }
}
