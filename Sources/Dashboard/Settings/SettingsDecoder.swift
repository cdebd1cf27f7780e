import TerminalUI
import Text
import Yams

/// A decoder for YAML configurations that reports all errors with their positions.
package struct SettingsDecoder {
    private let file: String
    private var issues: [String] = []

    private static let keyNames = ["version", "theme", "glyphs", "refresh", "mouse", "keys"]
    /// The value of `glyphs` that selects the best set for the locale.
    private static let automatic = "auto"

    /// Decodes settings.
    ///
    /// Missing keys use default values.
    ///
    /// - Throws: A `SettingsError` that lists all errors with their positions.
    package static func decode(
        yaml: String,
        file: String
    ) throws(SettingsError) -> DashboardSettings {
        var decoder = SettingsDecoder(file: file)
        let settings = decoder.settings(from: yaml)
        guard decoder.issues.isEmpty else { throw SettingsError(issues: decoder.issues) }
        return settings
    }

    private init(file: String) { self.file = file }

    private mutating func settings(from yaml: String) -> DashboardSettings {
        var settings = DashboardSettings()
        if let line = YAMLAliases.costlyKeyLine(in: yaml) {
            issue(line: line, column: 1, YAMLAliases.message)
            return settings
        }
        let root: Node?
        do { root = try Yams.compose(yaml: yaml) } catch {
            report(error)
            return settings
        }
        // A file may contain only comments.
        guard let root, root.null == nil else { return settings }
        guard let mapping = root.mapping else {
            issue(root, "the configuration must be a mapping, such as 'theme: dark'")
            return settings
        }
        for (key, value) in mapping {
            let name = text(of: key)
            switch name {
            case "version":
                // `Node.int` overflows for numbers with colons, which YAML 1.1 reads in base 60.
                if value.float != 1 {
                    issue(value, "unknown version '\(text(of: value))'; expected 1")
                }
            case "theme": settings.theme = string(value)
            case "glyphs": settings.glyphs = glyphs(value)
            case "refresh": settings.refreshRate = refreshRate(value)
            case "mouse":
                if let isOn = value.bool {
                    settings.usesMouse = isOn
                } else {
                    issue(value, "expected true or false, not '\(text(of: value))'")
                }
            case "keys": settings.keys = keys(value)
            default:
                issue(key, "unknown key '\(name)'" + NearestName.hint(name, among: Self.keyNames))
            }
        }
        return settings
    }

    private mutating func glyphs(_ node: Node) -> GlyphSet? {
        let name = text(of: node)
        if name == Self.automatic { return nil }
        if let glyphs = GlyphSet(rawValue: name) { return glyphs }
        let known = [Self.automatic] + GlyphSet.allCases.map(\.rawValue)
        issue(node, "unknown glyphs '\(name)'" + NearestName.hint(name, among: known))
        return nil
    }

    private mutating func refreshRate(_ node: Node) -> Double {
        let range = DashboardSettings.refreshRates
        guard let rate = node.float, range.contains(rate) else {
            issue(
                node,
                "'\(text(of: node))' is not a refresh rate; expected \(range.lowerBound) to "
                    + "\(Int(range.upperBound)) frames per second"
            )
            return DashboardSettings.standardRefreshRate
        }
        return rate
    }

    private mutating func keys(_ node: Node) -> [DashboardCommand: [Key]] {
        guard node.null == nil else { return [:] }
        guard let mapping = node.mapping else {
            issue(
                node,
                "'\(text(of: node))' is not a mapping; expected keys such as 'quit: [q, ^C]'"
            )
            return [:]
        }
        let previousIssueCount = issues.count
        var keys: [DashboardCommand: [Key]] = [:]
        var nodes: [DashboardCommand: Node] = [:]
        for (name, value) in mapping {
            guard let command = DashboardCommand(rawValue: text(of: name)) else {
                let known = DashboardCommand.allCases.map(\.rawValue)
                let hint = NearestName.hint(text(of: name), among: known)
                issue(name, "unknown command '\(text(of: name))'\(hint)")
                continue
            }
            nodes[command] = name
            keys[command] = keyNodes(in: value).compactMap { key($0) }
        }
        // Skip the check for conflicts: without the rejected entries, the check could report
        // misleading errors.
        guard issues.count == previousIssueCount else { return keys }
        do { _ = try DashboardKeys(changing: keys) } catch {
            issue(nodes[error.command] ?? node, error.description)
        }
        return keys
    }

    /// Returns the nodes of one key or of a list of keys.
    private func keyNodes(in node: Node) -> [Node] {
        if let sequence = node.sequence { return Array(sequence) }
        return node.null == nil ? [node] : []
    }

    private mutating func key(_ node: Node) -> Key? {
        guard let name = node.scalar?.string else {
            issue(node, "expected a key, such as q, \"?\", Space, PgUp, F1, or ^C")
            return nil
        }
        do { return try KeyScript.key(named: name) } catch {
            issue(node, error.description)
            return nil
        }
    }

    private mutating func string(_ node: Node) -> String? {
        guard let text = node.scalar?.string, !text.isEmpty else {
            issue(node, "the value must be text")
            return nil
        }
        return text
    }

    private func text(of node: Node) -> String {
        node.scalar?.string ?? (node.mapping == nil ? "[…]" : "{…}")
    }

    private mutating func issue(_ node: Node, _ message: String) {
        issue(line: node.mark?.line ?? 1, column: node.mark?.column ?? 1, message)
    }

    private mutating func issue(line: Int, column: Int, _ message: String) {
        issues.append("\(file):\(line):\(column): \(message)")
    }

    private mutating func report(_ error: any Error) {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            issue(
                line: mark.line,
                column: mark.column,
                "this is not valid YAML: \(problem)"
            )
        case .duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.joined(separator: ", ")
            let mark = context.mark
            issue(
                line: mark.line,
                column: mark.column,
                "duplicate keys: \(names); remove the duplicates"
            )
        default: issue(line: 1, column: 1, "\(error)")
        }
    }
}
