import ArgumentParser
import TerminalUI

/// The options of commands with a display.
struct DisplayArguments: ParsableArguments {
    @Option(help: "The theme's name or file; see 'poolgauge themes list'.")
    var theme: String?

    @Option(help: "What pictures are made of; by default what the locale can show.")
    var glyphs: GlyphSet?

    @Option(help: "How often the screen is drawn, in frames a second; 10 by default.")
    var refresh: Double?

    @Option(help: "Write a picture instead of using a terminal: FILE.txt, FILE.ans or FILE.svg.")
    var screenshot: String?

    @Option(help: "The picture's size in cells.", transform: SizeArgument.parse)
    var size: SizeArgument?

    @Option(
        help: "How long to wait before the picture (10s), or before --press (1s).",
        transform: TimeArgument.parse
    )
    var after: TimeArgument?

    @Option(help: "Keys to press without a person, such as 'nt<Esc>?'.")
    var press: String?

    @Option(help: "The file that receives, as JSON, what the display used: CPU, frames, bytes.")
    var costs: String?

    /// Whether one of them was given.
    var isGiven: Bool {
        theme != nil || glyphs != nil || refresh != nil || screenshot != nil || size != nil
            || after != nil || press != nil || costs != nil
    }

    func validate() throws {
        if let refresh, !DashboardSettings.refreshRates.contains(refresh) {
            let range = DashboardSettings.refreshRates
            throw ValidationError(
                "--refresh must be \(range.lowerBound) to \(Int(range.upperBound)), not \(refresh)"
            )
        }
        if screenshot != nil, costs != nil {
            throw ValidationError("--screenshot takes a picture alone: no --costs")
        }
        if size != nil, screenshot == nil {
            throw ValidationError("--size is the picture's: give --screenshot too")
        }
    }

    /// The size of the picture.
    var pictureSize: Size { size?.size ?? Size(width: 120, height: 40) }

    /// The options, on top of the configuration.
    func options() throws -> DisplayOptions {
        var options = try DisplayOptions(theme: theme)
        if let glyphs { options.glyphs = glyphs }
        if let refresh { options.refreshRate = refresh }
        if let press {
            do { options.keys = try KeyScript.parse(press) } catch {
                throw CommandFailure("--press: \(error)")
            }
        }
        options.takesPicture = screenshot != nil
        let start = after?.duration ?? .seconds(screenshot == nil ? 1 : 10)
        options.keysStart = start.nanoseconds
        options.costs = try costs.map { try ReportDestination(path: $0) }
        return options
    }
}

extension Duration {
    /// The length in nanoseconds; 0 for a negative one.
    fileprivate var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    }
}
