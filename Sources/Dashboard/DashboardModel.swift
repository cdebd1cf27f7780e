import Telemetry
import TerminalUI

/// The dashboard as a value: samples and keys go in, surfaces and actions come out.
///
/// It knows neither terminals nor databases nor clocks. Whoever owns it calls ``ingest(_:)`` for
/// each sample, ``handle(_:)`` for each key, and ``render(size:)`` for each frame.
package struct DashboardModel: Sendable {
    /// The share of one CPU that the display itself uses, in 0…1, for its footer; nil hides it.
    package var displayCPUShare: Double?
    /// The characters that pictures are made of.
    package var glyphs: GlyphSet
    /// The themes that `t` goes through.
    package let themes: [Theme]
    /// The theme in use.
    package private(set) var theme: Theme
    /// Whether the display stands still.
    package var isPaused: Bool { frozen != nil }
    /// Whether the help is shown.
    package private(set) var showsHelp = false

    /// What was collected.
    private var history = History()
    /// What is shown while the display stands still.
    private var frozen: History?
    /// Which of ``windows`` is shown.
    private var window = 1

    /// The seconds that lanes and charts can show.
    static let windows: [Double] = [10, 30, 60, 120, 300]

    /// Creates a dashboard that has seen no sample.
    ///
    /// - Parameters:
    ///   - theme: The theme to begin with.
    ///   - themes: The themes that `t` goes through.
    ///   - glyphs: What the terminal's font and encoding can show.
    package init(
        theme: Theme = .standard,
        themes: [Theme] = Theme.builtIn,
        glyphs: GlyphSet = .braille
    ) {
        self.theme = theme
        self.themes = themes
        self.glyphs = glyphs
    }

    /// Takes in a sample; a paused display collects it too.
    package mutating func ingest(_ sample: Sample) { history.append(sample) }

    /// Adds a line to the ticker, such as what came of a key.
    package mutating func note(_ message: String, severity: TelemetryEvent.Severity = .info) {
        let time = history.latest?.time ?? 0
        let event = TelemetryEvent(time: time, severity: severity, message: message)
        history.append(event)
        // Said in answer to a key: a display that stands still shows it too.
        frozen?.append(event)
    }

    /// Takes in a key or a resize, and says what the program has to do about it.
    package mutating func handle(_ event: InputEvent) -> [DashboardAction] {
        guard case .key(let key) = event, let command = DashboardCommand.command(for: key)
        else { return [] }
        switch command {
        case .quit: return [.quit]
        case .nextArm: return [.nextArm]
        case .interrupt: return [.interrupt]
        case .snapshot: return [.makeSnapshot]
        case .release: return [.releaseSnapshot]
        case .pause: frozen = frozen == nil ? history : nil
        case .theme: nextTheme()
        case .zoomIn: window = max(window - 1, 0)
        case .zoomOut: window = min(window + 1, Self.windows.count - 1)
        case .help: showsHelp.toggle()
        case .back: showsHelp = false
        }
        return []
    }

    /// The screen, for a terminal of this size; any size will do.
    package func render(size: Size) -> Surface {
        var canvas = Canvas(size: size, theme: theme, glyphs: glyphs)
        let bounds = canvas.bounds
        if size.width < TooSmallScreen.needed.width || size.height < TooSmallScreen.needed.height {
            TooSmallScreen().draw(on: &canvas, in: bounds)
            return canvas.surface
        }
        let screen = OverviewScreen(
            history: frozen ?? history,
            seconds: Self.windows[window],
            isPaused: isPaused,
            displayCPUShare: displayCPUShare
        )
        screen.draw(on: &canvas, in: bounds)
        if showsHelp { KeyHelp().draw(on: &canvas, in: bounds) }
        return canvas.surface
    }

    private mutating func nextTheme() {
        guard !themes.isEmpty else { return }
        let current = themes.firstIndex { $0.name == theme.name } ?? -1
        theme = themes[(current + 1) % themes.count]
    }
}
