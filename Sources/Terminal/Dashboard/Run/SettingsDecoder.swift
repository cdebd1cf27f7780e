import TerminalUI
import Text
import YAML
import Yams

/// A decoder for YAML configurations that reports all errors with their positions.
package struct SettingsDecoder {
    private let log: YAMLLog

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
        let decoder = SettingsDecoder(file: file)
        let settings = decoder.settings(from: yaml)
        guard decoder.log.count == 0 else { throw SettingsError(issues: decoder.log.issues) }
        return settings
    }

    private init(file: String) { log = YAMLLog(file: file) }

    private func settings(from yaml: String) -> DashboardSettings {
        var settings = DashboardSettings()
        // A file may contain only comments.
        guard case .root(let root) = log.document(yaml), root.null == nil else { return settings }
        guard let mapping = root.mapping else {
            issue(root, message: "the configuration must be a mapping, such as 'theme: dark'")
            return settings
        }
        for (key, value) in mapping {
            let name = text(of: key)
            switch name {
            case "version": log.checkVersion(value)
            case "theme": settings.theme = string(value)
            case "glyphs": settings.glyphs = glyphs(value)
            case "refresh": settings.refreshRate = refreshRate(value)
            case "mouse": if let isOn = log.bool(value) { settings.usesMouse = isOn }
            case "keys": settings.keys = keys(value)
            default:
                issue(
                    key,
                    message: "unknown key '\(name)'" + NearestName.hint(name, among: Self.keyNames)
                )
            }
        }
        return settings
    }

    private func glyphs(_ node: Node) -> GlyphSet? {
        let name = text(of: node)
        if name == Self.automatic { return nil }
        if let glyphs = GlyphSet(rawValue: name) { return glyphs }
        let known = [Self.automatic] + GlyphSet.allCases.map(\.rawValue)
        issue(node, message: "unknown glyphs '\(name)'" + NearestName.hint(name, among: known))
        return nil
    }

    private func refreshRate(_ node: Node) -> Double {
        let range = DashboardSettings.refreshRates
        guard let rate = node.float, range.contains(rate) else {
            issue(
                node,
                message:
                    "'\(text(of: node))' is not a refresh rate; expected \(range.lowerBound) to "
                    + "\(Int(range.upperBound)) frames per second"
            )
            return DashboardSettings.standardRefreshRate
        }
        return rate
    }

    private func keys(_ node: Node) -> [DashboardCommand: [Key]] {
        let previousIssueCount = log.count
        var keys: [DashboardCommand: [Key]] = [:]
        var nodes: [DashboardCommand: Node] = [:]
        for (name, value) in log.entries(node, "expected keys such as 'quit: [q, ^C]'") {
            guard let command = DashboardCommand(rawValue: text(of: name)) else {
                let known = DashboardCommand.allCases.map(\.rawValue)
                let hint = NearestName.hint(text(of: name), among: known)
                issue(name, message: "unknown command '\(text(of: name))'\(hint)")
                continue
            }
            nodes[command] = name
            keys[command] = keyNodes(in: value).compactMap { key($0) }
        }
        // Skip the check for conflicts: without the rejected entries, the check could report
        // misleading errors.
        guard log.count == previousIssueCount else { return keys }
        do { _ = try DashboardKeys(changing: keys) } catch {
            issue(nodes[error.command] ?? node, message: error.description)
        }
        return keys
    }

    /// Returns the nodes of one key or of a list of keys.
    private func keyNodes(in node: Node) -> [Node] {
        if let sequence = node.sequence { return Array(sequence) }
        return node.null == nil ? [node] : []
    }

    private func key(_ node: Node) -> Key? {
        guard let name = node.scalar?.string else {
            issue(node, message: "expected a key, such as q, \"?\", Space, PgUp, F1, or ^C")
            return nil
        }
        do { return try KeyScript.key(named: name) } catch {
            issue(node, message: error.description)
            return nil
        }
    }

    private func string(_ node: Node) -> String? {
        guard let text = node.scalar?.string, !text.isEmpty else {
            issue(node, message: "the value must be text")
            return nil
        }
        return text
    }

    private func text(of node: Node) -> String { YAMLLog.text(of: node) }

    private func issue(_ node: Node, message: String) { log.add(message, at: node.mark) }
}

/// The user's dashboard settings in `config.yaml`.
package struct DashboardSettings: Sendable, Equatable {
    /// The name of the theme, or `nil` for the default theme.
    package var theme: String?
    /// The characters for drawing charts, or `nil` for the best set for the locale.
    package var glyphs: GlyphSet?
    /// The refresh rate, in frames/s.
    package var refreshRate = Self.standardRefreshRate
    /// Whether the dashboard handles mouse events.
    ///
    /// If `false`, the mouse selects text in the terminal.
    package var usesMouse = true
    /// The keys that the user assigned to commands.
    package var keys: [DashboardCommand: [Key]] = [:]

    /// The default refresh rate, in frames/s.
    package static let standardRefreshRate = 10.0
    /// The valid refresh rates, in frames/s.
    package static let refreshRates = 0.5...60

    /// Creates the default settings.
    package init() {}
}

package struct SettingsError: Error, Equatable, CustomStringConvertible {
    /// All errors in the file.
    package var issues: [YAMLIssue]

    package var description: String { issues.map(\.description).joined(separator: "\n") }
}
