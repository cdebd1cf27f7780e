import Telemetry
import TerminalUI

/// The dashboard as a value: samples, keys and mice go in, surfaces and actions come out.
///
/// It knows neither terminals nor databases nor clocks. Whoever owns it calls ``ingest(_:)`` for
/// each sample, ``handle(_:)`` for each event (``InputEvent/resize(_:)`` first), and
/// ``render(size:)`` for each frame.
package struct DashboardModel: Sendable {
    /// The share of one CPU that the display itself uses, in 0…1, for its footer; nil hides it.
    package var displayCPUShare: Double?
    /// The characters that pictures are made of.
    package var glyphs: GlyphSet
    /// The characters that `g` goes through: what the terminal can show.
    package let glyphChoices: [GlyphSet]
    /// The themes that `t` goes through.
    package let themes: [Theme]
    /// The theme in use.
    package internal(set) var theme: Theme
    /// The bindings of keys to commands.
    package let keys: DashboardKeys
    /// How often the screen should be drawn, in frames/s.
    package internal(set) var refreshRate: Double
    /// The screen that is shown.
    package internal(set) var screen = DashboardScreen.overview
    /// The extent of the terminal: what a mouse and pages are measured by.
    package internal(set) var size = Size(width: 120, height: 40)
    /// Whether the display stands still.
    package var isPaused: Bool { frozen != nil }
    /// Whether the help is shown.
    package var showsHelp: Bool {
        if case .help = overlay { true } else { false }
    }

    /// What was collected.
    var history = History()
    /// What is shown while the display stands still.
    var frozen: History?
    /// Which of ``windows`` is shown.
    var window = 1
    /// What lies over the screen.
    var overlay: Overlay?
    /// What is selected, sorted and filtered on each screen, by its number less one.
    var views = DashboardScreen.allCases.map { _ in ListView() }

    /// The interrupt of which it is still to be told what came of it.
    var interrupt: InterruptWatch?
    /// The knobs that somebody turned and no sample shows yet, by their names.
    var asked: [String: Double] = [:]

    /// The seconds that lanes and charts can show.
    static let windows: [Double] = [10, 30, 60, 120, 300]
    /// The frame rates to choose from.
    package static let refreshRates: [Double] = [1, 2, 5, 10, 20, 30]

    /// Creates a dashboard that has seen no sample.
    ///
    /// - Parameters:
    ///   - theme: The theme to begin with.
    ///   - themes: The themes that `t` goes through.
    ///   - glyphs: What pictures are made of to begin with.
    ///   - glyphChoices: What the terminal's font and encoding can show.
    ///   - keys: Which key asks for what.
    ///   - refreshRate: How often the screen is drawn to begin with, in frames/s.
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

    /// Takes in a sample; a paused display collects it too.
    package mutating func ingest(_ sample: Sample) {
        let before = history.latest?.sequence ?? -1
        history.append(sample)
        let isNewRun = sample.sequence <= before
        settleKnobs(sample, isNewRun: isNewRun)
        if isNewRun { interrupt = nil }
        if let news = interrupt?.look(at: sample) {
            interrupt = nil
            note(news)
        }
    }

    /// Adds a line to the ticker, such as what came of a key.
    package mutating func note(_ message: String, severity: TelemetryEvent.Severity = .info) {
        let time = history.latest?.time ?? 0
        let event = TelemetryEvent(time: time, severity: severity, message: message)
        history.append(event)
        // Said in answer to a key: a display that stands still shows it too.
        frozen?.append(event)
    }

    /// Takes in a key, a mouse or a new size, and says what the program has to do about it.
    package mutating func handle(_ event: InputEvent) -> [DashboardAction] {
        switch event {
        case .resize(let size):
            self.size = size
            return []
        case .mouse(let mouse):
            return handle(mouse)
        case .key(let key):
            if let overlay { return handle(key, in: overlay) }
            guard let command = keys.command(for: key) else { return [] }
            return perform(command)
        }
    }

    /// The screen, for a terminal of this size; any size will do.
    package func render(size: Size) -> Surface { canvas(size: size).surface }

    /// What is selected, sorted and filtered on the screen that is shown.
    var view: ListView {
        get { views[screen.rawValue - 1] }
        set { views[screen.rawValue - 1] = newValue }
    }

    /// What the screen draws from.
    var shown: History { frozen ?? history }

    /// The screen with what lies over it, and what its cells mean to a mouse.
    func canvas(size: Size) -> Canvas {
        var canvas = Canvas(size: size, theme: theme, glyphs: glyphs)
        let bounds = canvas.bounds
        if size.width < TooSmallScreen.needed.width || size.height < TooSmallScreen.needed.height {
            TooSmallScreen().draw(on: &canvas, in: bounds)
            return canvas
        }
        let footer = FooterLine(
            keys: keys,
            screen: screen,
            displayCPUShare: displayCPUShare,
            overlay: overlay,
            view: view
        )
        let footerHeight = footer.height(in: size)
        let areas = bounds.rows([1, size.height - 1 - footerHeight, footerHeight])
        HeaderLine(history: shown, isPaused: isPaused).draw(on: &canvas, in: areas[0])
        canvas.clipped(to: areas[1]) { canvas in drawScreen(on: &canvas, in: areas[1]) }
        footer.draw(on: &canvas, in: areas[2])
        drawOverlay(on: &canvas, in: bounds)
        return canvas
    }

    private func drawScreen(on canvas: inout Canvas, in rect: Rect) {
        let scene = ScreenScene(
            history: shown,
            seconds: Self.windows[window],
            view: view,
            keys: keys
        )
        switch screen {
        case .overview: OverviewScreen(scene: scene).draw(on: &canvas, in: rect)
        case .connections: ConnectionsScreen(scene: scene).draw(on: &canvas, in: rect)
        case .waiters: WaitersScreen(scene: scene).draw(on: &canvas, in: rect)
        case .snapshots: SnapshotsScreen(scene: scene).draw(on: &canvas, in: rect)
        case .latency: LatencyScreen(scene: scene).draw(on: &canvas, in: rect)
        case .compare: CompareScreen(scene: scene).draw(on: &canvas, in: rect)
        case .workload:
            WorkloadScreen(scene: scene, asked: asked, keys: keys).draw(on: &canvas, in: rect)
        }
    }

    private func drawOverlay(on canvas: inout Canvas, in rect: Rect) {
        switch overlay {
        case .help(let top): KeyHelp(keys: keys, top: top).draw(on: &canvas, in: rect)
        case .checkpoint(let choice):
            CheckpointChoice(selected: choice).draw(on: &canvas, in: rect)
        case .prompt, nil: break
        }
    }
}
