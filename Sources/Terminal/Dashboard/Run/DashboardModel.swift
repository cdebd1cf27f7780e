import SQLiteWatch
import Telemetry
import TerminalUI
import Text

/// The model of the run dashboard, which converts samples and input events to surfaces and actions.
///
/// The model does not depend on a terminal, a database, or a clock. The owner calls ``ingest(_:)``
/// for each sample, ``handle(_:)`` for each event (``InputEvent/resize(_:)`` first), and
/// ``render(size:)`` for each frame.
package struct DashboardModel: Sendable {
    /// The maximum number of samples that a model keeps.
    package static let capacity = History.capacity

    /// The display's share of one CPU, from 0 to 1, or `nil` to omit the share from the footer.
    package var displayCPUShare: Double?
    package var glyphs: GlyphSet
    /// The character sets that the `g` key cycles through, all supported by the terminal.
    package let glyphChoices: [GlyphSet]
    /// The themes that the `t` key cycles through.
    package let themes: [Theme]
    package internal(set) var theme: Theme
    package let keys: DashboardKeys
    /// The refresh rate, in frames/s.
    package internal(set) var refreshRate: Double
    package internal(set) var screen = DashboardScreen.overview
    /// The size of the terminal, for mouse positions and page lengths.
    package internal(set) var size = Size(width: 120, height: 40)
    package var isPaused: Bool { frozen != nil }
    package var showsHelp: Bool {
        if case .help = overlay { true } else { false }
    }

    /// Whether a recording is in progress.
    package var isRecording = false
    /// The keys of a replay, or `nil` for a live run.
    package var replayKeys: ReplayKeys?

    var history = History()
    /// The displayed data while the display is frozen.
    var frozen: History?
    /// The index of the displayed time window in ``windows``.
    var windowIndex = 1
    var overlay: Overlay?
    /// The selection, sorting, and filter of each screen, in screen order.
    var views = DashboardScreen.allCases.map { _ in ListView() }

    /// The message shown in place of the keys, and the time at which it was first shown, in seconds
    /// since the start of the run.
    var message: (text: String, isWarning: Bool, time: Double)?
    /// The time for which ``message`` remains visible, in seconds.
    private static let messageSeconds = 4.0

    /// The interrupt whose outcome is pending, if any.
    var pendingInterrupt: PendingInterrupt?
    /// Requested values that no sample has confirmed yet, keyed by setting name.
    var requestedSettings: [String: Double] = [:]

    /// The time windows of lanes and charts, in seconds.
    static let windows: [Double] = [10, 30, 60, 120, 300]
    /// The available refresh rates, in frames/s.
    package static let refreshRates: [Double] = [1, 2, 5, 10, 20, 30]

    /// Creates a dashboard without samples.
    ///
    /// `theme` and `glyphs` are the initial values. `refreshRate` is in frames/s.
    package init(
        theme: Theme = .standard,
        themes: [Theme] = Theme.builtIn,
        glyphs: GlyphSet = .braille,
        glyphChoices: [GlyphSet] = GlyphSet.allCases,
        keys: DashboardKeys = .standard,
        refreshRate: Double = 10
    ) {
        self.theme = theme
        self.themes = themes
        self.glyphs = glyphs
        self.glyphChoices = glyphChoices
        self.keys = keys
        self.refreshRate = refreshRate
    }

    /// Adds a sample, even while the display is frozen.
    package mutating func ingest(_ sample: Sample) {
        let previousSequence = history.displayedSample?.sequence ?? -1
        history.append(sample)
        let isNewRun = sample.sequence <= previousSequence
        discardConfirmedSettings(in: sample, isNewRun: isNewRun)
        if isNewRun { pendingInterrupt = nil }
        if let message, isNewRun || sample.time - message.time > Self.messageSeconds {
            self.message = nil
        }
        if let outcome = pendingInterrupt?.update(with: sample) {
            pendingInterrupt = nil
            note(outcome)
        }
    }

    /// Adds a line to the ticker, such as the result of a key press.
    package mutating func note(_ message: String, severity: TelemetryEvent.Severity = .info) {
        let time = history.displayedSample?.time ?? 0
        let event = TelemetryEvent(time: time, severity: severity, message: message)
        history.append(event)
        // Show the line even on a frozen display, because it may be the result of a key press.
        frozen?.append(event)
    }

    /// Adds a line to the ticker, and shows it in place of the keys for a few seconds.
    ///
    /// Use this method for lines that the ticker may truncate, such as a line with a file's path.
    package mutating func announce(_ message: String, isWarning: Bool = false) {
        note(message, severity: isWarning ? .warning : .info)
        self.message = (
            Escaping.terminal(message), isWarning, history.displayedSample?.time ?? 0
        )
    }

    /// Handles an input event and returns the actions for the program.
    package mutating func handle(_ event: InputEvent) -> [DashboardAction] {
        switch event {
        case .resize(let size):
            self.size = size
            return []
        case .mouse(let mouse):
            return handle(mouse)
        case .key(let key):
            message = nil
            if let overlay { return handle(key, in: overlay) }
            guard let command = keys.command(for: key) else { return [] }
            return perform(command)
        }
    }

    package func render(size: Size) -> Surface { canvas(size: size).surface }

    var view: ListView {
        get { views[screen.rawValue - 1] }
        set { views[screen.rawValue - 1] = newValue }
    }

    /// The displayed data, which does not change while the display is frozen.
    var displayedHistory: History { frozen ?? history }

    func canvas(size: Size) -> Canvas {
        var canvas = Canvas(size: size, theme: theme, glyphs: glyphs)
        let bounds = canvas.bounds
        if size.width < TooSmallScreen.minimumSize.width
            || size.height < TooSmallScreen.minimumSize.height
        {
            TooSmallScreen().draw(on: &canvas, in: bounds)
            return canvas
        }
        let footer = FooterLine(
            keys: keys,
            screen: screen,
            displayCPUShare: displayCPUShare,
            overlay: overlay,
            view: view,
            program: program,
            message: message.map { message in
                Span(message.text, theme.raised(message.isWarning ? .warning : .text))
            }
        )
        let footerHeight = footer.height(in: size)
        let areas = bounds.rows([1, size.height - 1 - footerHeight, footerHeight])
        HeaderLine(
            history: displayedHistory,
            isPaused: isPaused,
            isReplay: replayKeys != nil,
            isRecording: isRecording
        ).draw(on: &canvas, in: areas[0])
        canvas.clipped(to: areas[1]) { canvas in drawScreen(on: &canvas, in: areas[1]) }
        footer.draw(on: &canvas, in: areas[2])
        drawOverlay(on: &canvas, in: bounds)
        return canvas
    }

    private func drawScreen(on canvas: inout Canvas, in rect: Rect) {
        displayedScreen.draw(on: &canvas, in: rect)
    }

    /// The screen with the displayed data.
    var displayedScreen: any RunScreen {
        screen.type.init(
            scene: ScreenScene(
                history: displayedHistory,
                seconds: Self.windows[windowIndex],
                view: view,
                keys: keys,
                requestedSettings: requestedSettings
            )
        )
    }

    private func drawOverlay(on canvas: inout Canvas, in rect: Rect) {
        switch overlay {
        case .help(let top):
            KeyHelp(keys: keys, program: program, replayKeys: replayKeys, top: top)
                .draw(on: &canvas, in: rect)
        case .checkpoint(let choice):
            CheckpointChoice(selected: choice).draw(on: &canvas, in: rect)
        case .prompt, nil: break
        }
    }
}

/// A request to the program that runs the load.
package enum DashboardAction: Sendable, Equatable {
    /// End the run and quit.
    case quit
    /// Stop this arm and start the next arm.
    case nextArm
    /// Interrupt the statement of the connection with the given label.
    ///
    /// If the label is `nil`, interrupt all statements.
    case interrupt(connection: String?)
    case checkpoint(CheckpointMode)
    /// Take a snapshot and keep it.
    case makeSnapshot
    /// Release the snapshot with the given label.
    ///
    /// If the label is `nil`, release the oldest snapshot that ``makeSnapshot`` created.
    case releaseSnapshot(label: String?)
    case setLoadPaused(Bool)
    /// Change a setting of the load.
    case changeSetting(LoadSetting)
    /// Rebuild the pool with this maximum number of readers.
    case setReaderCount(Int)
    /// Start a recording, or stop the recording in progress.
    case toggleRecording
    /// Set the refresh rate, in frames/s.
    case setRefreshRate(Double)
    /// Copy text to the terminal's clipboard (OSC 52).
    case copy(String)

    /// The mode of a checkpoint (<https://sqlite.org/c3ref/wal_checkpoint_v2.html>).
    package enum CheckpointMode: String, Sendable, CaseIterable {
        /// Copies as many frames as possible without waiting.
        case passive
        /// Waits for the writer and copies all frames.
        case full
        /// Works like `full`, and also waits for readers so that the next writer resets the log.
        case restart
        /// Works like `restart`, and also truncates the log file to zero bytes.
        case truncate
    }
}
