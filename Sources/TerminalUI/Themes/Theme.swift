/// The colours of a screen.
///
/// Read from a YAML file (see `themes/dark.yaml`): a palette of named colours, the roles that use
/// them, and the gradients of meters and charts. What a file does not name falls back.
package struct Theme: Sendable, Equatable {
    /// Its name, as `--theme` takes it.
    package let name: String
    /// What it is made for, in a line.
    package let summary: String
    /// A style for each role, by ``Role/index``: the role's colour on the background.
    private let styles: [Style]
    /// A hundred and one colours for each gradient, from 0 to 100 %.
    private let ramps: [[Color]]

    /// Creates a theme from the colours and attributes of its roles.
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

    /// The style of a role, on the theme's background.
    package func style(_ role: Role) -> Style { styles[role.index] }

    /// The style of a role in bold.
    package func bold(_ role: Role) -> Style {
        var style = style(role)
        style.attributes.insert(.bold)
        return style
    }

    /// The style of a role on the background of what is raised above the screen.
    package func raised(_ role: Role) -> Style {
        var style = style(role)
        style.background = color(.raised)
        return style
    }

    /// The colour of a role.
    package func color(_ role: Role) -> Color { styles[role.index].foreground }

    /// A colour of a gradient, at a share in 0…1.
    package func color(_ gradient: GradientRole, at share: Double) -> Color {
        let step = share.isFinite ? Int((min(max(share, 0), 1) * 100).rounded()) : 0
        return ramps[gradient.index][step]
    }

    /// The style of a gradient, at a share in 0…1, on the theme's background.
    package func style(_ gradient: GradientRole, at share: Double) -> Style {
        Style(foreground: color(gradient, at: share), background: color(.background))
    }
}

/// The colour and the attributes of a role.
struct RoleStyle: Sendable, Equatable {
    /// The colour.
    var color: Color
    /// What tells the role apart where there are no colours.
    var attributes: Style.Attributes = []
}

/// A colour that changes with a value.
struct Gradient: Sendable, Equatable {
    /// The colour at 0.
    var start: Color
    /// The colour in the middle.
    var mid: Color
    /// The colour at 1.
    var end: Color

    /// The colour at a share in 0…1: between two RGB colours a mixture, else the nearest of three.
    func color(at share: Double) -> Color {
        let (from, to, part) =
            share < 0.5 ? (start, mid, share * 2) : (mid, end, share * 2 - 1)
        guard case .rgb(let red, let green, let blue) = from,
            case .rgb(let toRed, let toGreen, let toBlue) = to
        else {
            return share < 1.0 / 3 ? start : share < 2.0 / 3 ? mid : end
        }
        func mix(_ one: UInt8, _ other: UInt8) -> UInt8 {
            UInt8((Double(one) + (Double(other) - Double(one)) * part).rounded())
        }
        return .rgb(mix(red, toRed), mix(green, toGreen), mix(blue, toBlue))
    }
}
