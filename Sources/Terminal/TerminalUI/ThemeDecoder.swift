import Text
import YAML
import Yams

/// A decoder for YAML themes that reports all errors with their positions.
struct ThemeDecoder {
    private let log: YAMLLog
    private var palette: [String: Color] = [:]

    init(file: String) { log = YAMLLog(file: file) }

    /// Decodes a theme.
    ///
    /// The theme's default name is the last component of the path `file`, without `.yaml`.
    ///
    /// - Throws: A ``ThemeError`` with all errors in the file and their positions.
    static func decode(yaml: String, file: String) throws(ThemeError) -> Theme {
        var decoder = ThemeDecoder(file: file)
        let theme = decoder.theme(from: yaml)
        guard decoder.log.count == 0 else { throw ThemeError(issues: decoder.log.issues) }
        return theme
    }

    private mutating func theme(from yaml: String) -> Theme {
        let empty = Theme(name: log.file, summary: "", roles: [:], gradients: [:])
        let mapping: Node.Mapping
        switch log.document(yaml) {
        case .root(.mapping(let root)): mapping = root
        case .invalid: return empty
        case .root, .empty:
            log.add(
                "a theme must be a mapping, with keys such as 'name', 'palette', 'roles', and "
                    + "'gradients'",
                line: 1,
                column: 1
            )
            return empty
        }
        let known = ["version", "name", "description", "palette", "roles", "gradients"]
        for (key, _) in mapping { check(key, among: known, kind: "key") }
        if let version = mapping["version"] { log.checkVersion(version) }
        readPalette(mapping["palette"])
        return Theme(
            name: mapping["name"].flatMap(log.string) ?? nameOfFile,
            summary: mapping["description"].flatMap(log.string) ?? "",
            roles: roles(mapping["roles"]),
            gradients: gradients(mapping["gradients"])
        )
    }

    /// The default name, such as `mine` for `themes/mine.yaml`.
    private var nameOfFile: String {
        let last = String(log.file.split(separator: "/").last ?? "")
        return last.hasSuffix(".yaml") ? String(last.dropLast(5)) : last
    }

    private mutating func readPalette(_ node: Node?) {
        for (key, value) in entries(node, of: "'palette'") {
            guard let color = ColorName.hexadecimal(text(of: value)) else {
                issue(value, message: "'\(text(of: value))' is not a color; expected \"#rrggbb\"")
                continue
            }
            palette[text(of: key)] = color
        }
    }

    private mutating func roles(_ node: Node?) -> [Role: RoleStyle] {
        var roles: [Role: RoleStyle] = [:]
        for (key, value) in entries(node, of: "'roles'") {
            guard check(key, among: Role.allCases.map(\.rawValue), kind: "role"),
                let role = Role(rawValue: text(of: key))
            else { continue }
            roles[role] = style(value)
        }
        return roles
    }

    private mutating func style(_ node: Node) -> RoleStyle {
        guard let mapping = node.mapping else { return RoleStyle(color: color(node)) }
        var style = RoleStyle(color: .standard)
        for (key, value) in mapping {
            switch text(of: key) {
            case "color": style.color = color(value)
            case "bold": set(.bold, of: &style, from: value)
            case "dim": set(.dim, of: &style, from: value)
            case "underline": set(.underline, of: &style, from: value)
            case "italic": set(.italic, of: &style, from: value)
            default:
                check(key, among: ["color", "bold", "dim", "underline", "italic"], kind: "key")
            }
        }
        return style
    }

    private mutating func set(
        _ attribute: Style.Attributes,
        of style: inout RoleStyle,
        from node: Node
    ) {
        if log.bool(node) == true { style.attributes.insert(attribute) }
    }

    private mutating func gradients(_ node: Node?) -> [GradientRole: Gradient] {
        var gradients: [GradientRole: Gradient] = [:]
        for (key, value) in entries(node, of: "'gradients'") {
            guard check(key, among: GradientRole.allCases.map(\.rawValue), kind: "gradient"),
                let role = GradientRole(rawValue: text(of: key))
            else { continue }
            var stops: [String: Color] = [:]
            for (stop, stopColor) in entries(value, of: "a gradient")
            where check(stop, among: ["start", "mid", "end"], kind: "key") {
                stops[text(of: stop)] = color(stopColor)
            }
            guard let start = stops["start"], let end = stops["end"] ?? stops["mid"] else {
                issue(value, message: "a gradient requires 'start' and 'end'; 'mid' is optional")
                continue
            }
            let middle = Gradient(start: start, mid: start, end: end).color(at: 0.75)
            gradients[role] = Gradient(start: start, mid: stops["mid"] ?? middle, end: end)
        }
        return gradients
    }

    private mutating func color(_ node: Node) -> Color {
        let name = text(of: node)
        if let color = ColorName.hexadecimal(name) ?? palette[name] ?? ColorName.terminal[name] {
            return color
        }
        let names = palette.keys.sorted() + ColorName.terminal.keys.sorted()
        let nearest = NearestName.of(name, among: names)
        let hint = nearest.map { "; did you mean '\($0)'? Expected " } ?? "; expected "
        issue(
            node,
            message:
                "there is no color '\(name)'\(hint)\"#rrggbb\", a palette name, or a terminal color"
        )
        return .standard
    }

    private func entries(_ node: Node?, of name: String) -> [(key: Node, value: Node)] {
        log.entries(node, "\(name) must be a mapping of names to values")
    }

    @discardableResult
    private mutating func check(_ key: Node, among known: [String], kind: String) -> Bool {
        let name = text(of: key)
        if known.contains(name) { return true }
        let hint = NearestName.hint(name, among: known)
        let list = known.joined(separator: ", ")
        issue(
            key,
            message:
                "unknown \(kind) '\(name)'\(hint.isEmpty ? "; expected one of: \(list)" : hint)"
        )
        return false
    }

    private func text(of node: Node) -> String { YAMLLog.text(of: node) }

    private func issue(_ node: Node, message: String) { log.add(message, at: node.mark) }
}

/// The named colors that a theme can use without a palette.
enum ColorName {
    /// The terminal's sixteen colors, which users can change, and `default`.
    static let terminal: [String: Color] = {
        let names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
        var colors: [String: Color] = ["default": .standard]
        for (index, name) in names.enumerated() {
            colors[name] = .indexed(UInt8(index))
            colors["bright-" + name] = .indexed(UInt8(index + 8))
        }
        return colors
    }()

    /// Parses a color of the form `#rrggbb` or `#rgb`, or returns `nil` for other text.
    static func hexadecimal(_ text: String) -> Color? {
        guard text.utf8.first == UInt8(ascii: "#") else { return nil }
        let digits = text.dropFirst().compactMap(\.hexDigitValue)
        guard digits.count == text.count - 1 else { return nil }
        switch digits.count {
        case 3: return .rgb(pair(digits[0]), pair(digits[1]), pair(digits[2]))
        case 6:
            return .rgb(
                UInt8(digits[0] * 16 + digits[1]),
                UInt8(digits[2] * 16 + digits[3]),
                UInt8(digits[4] * 16 + digits[5])
            )
        default: return nil
        }
    }

    private static func pair(_ digit: Int) -> UInt8 { UInt8(digit * 17) }
}
