import Text
import YAML

/// The colors of a screen.
///
/// A theme is a YAML file (see `themes/dark.yaml`) with a palette of named colors, colors for
/// roles, and gradients for meters and charts. Missing roles and gradients have fallbacks.
package struct Theme: Sendable, Equatable {
    /// The name, for `--theme`.
    package let name: String
    package let summary: String
    /// The style of each role on the background, indexed by ``Role/index``.
    private let styles: [Style]
    /// The 101 colors of each gradient, from 0% to 100%.
    private let ramps: [[Color]]

    init(
        name: String,
        summary: String,
        roles: [Role: RoleStyle],
        gradients: [GradientRole: Gradient]
    ) {
        self.name = name
        self.summary = summary
        func resolved(_ role: Role) -> RoleStyle {
            var candidate: Role? = role
            while let current = candidate {
                if let found = roles[current] { return found }
                candidate = current.fallback
            }
            return RoleStyle(color: .standard)
        }
        let background = resolved(.background).color
        styles = Role.allCases.map { role in
            let style = resolved(role)
            return Style(
                foreground: style.color,
                background: background,
                attributes: style.attributes
            )
        }
        ramps = GradientRole.allCases.map { role in
            let roles = role.fallback
            let gradient =
                gradients[role]
                ?? Gradient(
                    start: resolved(roles.start).color,
                    mid: resolved(roles.mid).color,
                    end: resolved(roles.end).color
                )
            return (0...100).map { gradient.color(at: Double($0) / 100) }
        }
    }

    package func style(_ role: Role) -> Style { styles[role.index] }

    package func bold(_ role: Role) -> Style {
        var style = style(role)
        style.attributes.insert(.bold)
        return style
    }

    package func raised(_ role: Role) -> Style {
        var style = style(role)
        style.background = color(.raised)
        return style
    }

    package func color(_ role: Role) -> Color { styles[role.index].foreground }

    /// Returns a gradient's color at a share from 0 to 1.
    package func color(_ gradient: GradientRole, at share: Double) -> Color {
        let step = share.isFinite ? Int((min(max(share, 0), 1) * 100).rounded()) : 0
        return ramps[gradient.index][step]
    }

    /// Returns the style of a gradient at a share from 0 to 1, on the theme's background.
    package func style(_ gradient: GradientRole, at share: Double) -> Style {
        Style(foreground: color(gradient, at: share), background: color(.background))
    }
}

struct RoleStyle: Sendable, Equatable {
    var color: Color
    /// The attributes that distinguish the role in terminals without colors.
    var attributes: Style.Attributes = []
}

/// A color that changes with a value from 0 to 1.
struct Gradient: Sendable, Equatable {
    var start: Color
    var mid: Color
    var end: Color

    /// Returns the color at a share from 0 to 1.
    ///
    /// RGB colors are interpolated. For other colors, returns the nearest of the three.
    func color(at share: Double) -> Color {
        let (lower, upper, part) =
            share < 0.5 ? (start, mid, share * 2) : (mid, end, share * 2 - 1)
        guard case .rgb(let red, let green, let blue) = lower,
            case .rgb(let toRed, let toGreen, let toBlue) = upper
        else {
            return share < 1.0 / 3 ? start : share < 2.0 / 3 ? mid : end
        }
        func mix(_ start: UInt8, _ end: UInt8) -> UInt8 {
            UInt8((Double(start) + (Double(end) - Double(start)) * part).rounded())
        }
        return .rgb(mix(red, toRed), mix(green, toGreen), mix(blue, toBlue))
    }
}

/// The use of a color in a theme.
///
/// Each raw value is a key in the theme's `roles`.
package enum Role: String, Sendable, CaseIterable {
    /// The background of the screen.
    case background
    /// The background of a help overlay and the key bar.
    case raised
    case text
    /// Units, hints, and other secondary text.
    case dim
    /// Borders and axes.
    case border
    case title
    /// Keys and the program's name.
    case accent
    /// The empty part of meters and lanes.
    case track
    /// A state without problems.
    case ok
    case warning
    /// A failure or saturation.
    case error
    /// A pool's readers.
    case reader
    /// The writer, or a queue's connection.
    case writer
    case snapshot
    case waiting
    /// The line for `maximumReaderCount`.
    case limit
    /// A connection that is running a statement.
    case running
    /// A held connection that is not running a statement.
    case held
    /// A connection that is ending its transaction.
    case committing
    /// A connection that is waiting for a file lock.
    case locked
    /// A connection that is being opened.
    case opening
    /// A connection that has no holder.
    case idle

    /// The role to use if a theme omits this role.
    var fallback: Role? {
        switch self {
        case .background, .text: nil
        case .raised: .background
        case .dim, .title, .accent, .border: .text
        case .track, .idle: .dim
        case .ok, .reader, .running: .accent
        case .warning, .error: .text
        case .writer, .held, .waiting: .warning
        case .snapshot, .committing, .opening: .accent
        case .limit, .locked: .error
        }
    }

    /// Whether the role is used for text, which requires sufficient contrast.
    package var isText: Bool {
        switch self {
        case .background, .raised, .border, .track, .idle: false
        default: true
        }
    }

    /// The index in a theme's tables.
    ///
    /// Access to an array is faster than a lookup in a dictionary.
    var index: Int {
        switch self {
        case .background: 0
        case .raised: 1
        case .text: 2
        case .dim: 3
        case .border: 4
        case .title: 5
        case .accent: 6
        case .track: 7
        case .ok: 8
        case .warning: 9
        case .error: 10
        case .reader: 11
        case .writer: 12
        case .snapshot: 13
        case .waiting: 14
        case .limit: 15
        case .running: 16
        case .held: 17
        case .committing: 18
        case .locked: 19
        case .opening: 20
        case .idle: 21
        }
    }
}

/// The use of a gradient in a theme.
///
/// Each raw value is a key in the theme's `gradients`.
package enum GradientRole: String, Sendable, CaseIterable {
    /// Load meters, from low to medium to full.
    case load
    /// Readers in use, from the bottom to the top of a chart.
    case readers
    /// Waiters, from few to many.
    case waiting
    case throughput
    /// The size of the write-ahead log.
    case wal

    /// The roles whose colors form the gradient if a theme omits it.
    var fallback: (start: Role, mid: Role, end: Role) {
        switch self {
        case .load: (.ok, .warning, .error)
        case .readers: (.reader, .reader, .reader)
        case .waiting: (.waiting, .waiting, .error)
        case .throughput: (.ok, .ok, .ok)
        case .wal: (.ok, .warning, .error)
        }
    }

    var index: Int {
        switch self {
        case .load: 0
        case .readers: 1
        case .waiting: 2
        case .throughput: 3
        case .wal: 4
        }
    }
}

/// The issues of an invalid theme.
package struct ThemeError: Error, Sendable, Equatable, CustomStringConvertible {
    package var issues: [YAMLIssue]

    package var description: String { issues.map(\.description).joined(separator: "\n") }
}

/// The error for an unknown theme name.
package struct UnknownThemeError: Error, Sendable, Equatable, CustomStringConvertible {
    package var name: String
    package var knownNames: [String]

    package init(name: String, knownNames: [String]) {
        self.name = name
        self.knownNames = knownNames
    }

    /// A message with the nearest known name and all known names.
    package var description: String {
        let nearest = NearestName.of(name, among: knownNames)
        let lead = nearest.map { "; did you mean '\($0)'? Themes: " } ?? "; expected one of: "
        return "there is no theme '\(name)'" + lead + knownNames.joined(separator: ", ")
    }
}

extension Theme {
    /// The themes in the `themes/` folder, which are part of the binary.
    ///
    /// The first theme is the default.
    ///
    /// Invalid files are skipped. A test verifies that each file is valid.
    package static let builtIn: [Theme] = sources.compactMap { name, bytes in
        try? ThemeDecoder.decode(yaml: String(decoding: bytes, as: UTF8.self), file: name)
    }

    /// The default theme, or a theme without colors if the default theme's file is invalid.
    package static let standard =
        builtIn.first ?? Theme(name: "plain", summary: "", roles: [:], gradients: [:])

    /// The names and contents of the files, in the order in which the `t` key selects them.
    static let sources: [(name: String, bytes: [UInt8])] = [
        ("dark.yaml", PackageResources.dark_yaml),
        ("light.yaml", PackageResources.light_yaml),
        ("high-contrast.yaml", PackageResources.high_contrast_yaml),
        ("deuteranopia.yaml", PackageResources.deuteranopia_yaml),
        ("protanopia.yaml", PackageResources.protanopia_yaml),
        ("monochrome.yaml", PackageResources.monochrome_yaml),
        ("catppuccin-mocha.yaml", PackageResources.catppuccin_mocha_yaml),
        ("dracula.yaml", PackageResources.dracula_yaml),
        ("gruvbox-dark.yaml", PackageResources.gruvbox_dark_yaml),
        ("tokyo-night.yaml", PackageResources.tokyo_night_yaml),
    ]

    package static func named(_ name: String) throws(UnknownThemeError) -> Theme {
        guard let theme = builtIn.first(where: { $0.name == name }) else {
            throw UnknownThemeError(name: name, knownNames: builtIn.map(\.name))
        }
        return theme
    }

    package static func source(named name: String) -> String? {
        sources.first { $0.name == name + ".yaml" }
            .map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// Parses a theme.
    ///
    /// The last component of the path `file` is the theme's default name.
    ///
    /// - Throws: A ``ThemeError`` with all errors in the file and their positions.
    package static func parse(yaml: String, file: String) throws(ThemeError) -> Theme {
        try ThemeDecoder.decode(yaml: yaml, file: file)
    }
}
