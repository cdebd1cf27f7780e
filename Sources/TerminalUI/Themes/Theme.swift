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
