import Findings
import Foundation
import SQLTrace
import Text
import WorkloadEngine
import YAML
import Yams

/// The settings of `poolgauge check` in a file `poolgauge.yaml`.
///
/// ```yaml
/// version: 1
/// check:
///   scan: note
///   repeated:
///     level: error
///     times: 20
///     allow:
///       - statement: SELECT name FROM tags WHERE id = ?
///         file: cache.*
/// ```
struct CheckConfiguration {
    private let log: YAMLLog
    private var settings = CheckSettings()

    /// The name of the file in the current folder.
    static let fileName = "poolgauge.yaml"

    private static let keys = ["version", "check"]
    private static let levelKey = "level"
    private static let allowKey = "allow"

    /// Reads a file, or the file in the current folder if there is one.
    ///
    /// - Throws: ``CommandFailure`` with all errors in the file, or if a specified file cannot be read.
    static func load(_ path: String?) throws -> CheckSettings {
        guard let yaml = try TextFile.read(path ?? fileName) else {
            guard let path else { return CheckSettings() }
            throw CommandFailure("--config: there is no file '\(Escaping.terminal(path))'")
        }
        return try decode(yaml: yaml, file: path ?? fileName)
    }

    /// Decodes settings.
    ///
    /// - Throws: ``CommandFailure`` with all errors.
    static func decode(yaml: String, file: String) throws -> CheckSettings {
        var decoder = CheckConfiguration(log: YAMLLog(file: file))
        decoder.read(yaml)
        guard decoder.log.count == 0 else {
            throw CommandFailure(
                decoder.log.issues.map(\.description).joined(separator: "\n")
            )
        }
        return decoder.settings
    }

    private mutating func read(_ yaml: String) {
        guard case .root(let root) = log.document(yaml) else { return }
        for (key, value) in log.entries(root, "expected keys such as 'check:'") {
            switch YAMLLog.text(of: key) {
            case "version": log.checkVersion(value)
            case "check": readRules(value)
            default: addUnknown(key, "key", Self.keys)
            }
        }
    }

    private mutating func readRules(_ node: Node) {
        for (key, value) in log.entries(node, "expected rules such as 'scan: note'") {
            guard let rule = CheckRule(rawValue: YAMLLog.text(of: key)) else {
                addUnknown(key, "rule", CheckRule.allCases.map(\.rawValue))
                continue
            }
            if value.scalar != nil {
                readLevel(value, rule)
                continue
            }
            for (key, value) in log.entries(
                value,
                "expected a level, or keys such as 'level: note'"
            ) {
                let name = YAMLLog.text(of: key)
                let limits = rule.limits.map(\.key)
                if name == Self.levelKey {
                    readLevel(value, rule)
                } else if name == Self.allowKey {
                    settings.allowances[rule] = allowances(value)
                } else if let limit = limits.first(where: { $0.rawValue == name }) {
                    readLimit(value, rule, limit)
                } else {
                    let keys = [Self.levelKey, Self.allowKey] + limits.map(\.rawValue)
                    addUnknown(key, "key", keys)
                }
            }
        }
    }

    private mutating func readLevel(_ node: Node, _ rule: CheckRule) {
        var name = YAMLLog.text(of: node)
        // In YAML 1.1, `off` is a Boolean, whose text is kept.
        if node.bool == false, name.lowercased() == "off" { name = "off" }
        guard let level = CheckRule.Level(rawValue: name) else {
            return addUnknown(node, "level", CheckRule.Level.allCases.map(\.rawValue))
        }
        settings[level: rule] = level
    }

    private mutating func readLimit(_ node: Node, _ rule: CheckRule, _ limit: CheckRule.Limit) {
        let text = YAMLLog.text(of: node)
        if limit.isTime {
            do {
                settings[rule, limit] = Double(try Quantity.duration(text).wholeNanoseconds) / 1e9
            } catch { log.add(String(describing: error), at: node.mark) }
            return
        }
        guard let number = Int(text), number > 0, number <= 1_000_000_000 else {
            return log.add("'\(text)' is not a number from 1 to 1000000000", at: node.mark)
        }
        settings[rule, limit] = Double(number)
    }

    private func allowances(_ node: Node) -> [CheckSettings.Allowance] {
        guard let entries = node.sequence else {
            log.add("expected a list, such as '- statement: SELECT …'", at: node.mark)
            return []
        }
        return entries.map { entry in
            var allowance = CheckSettings.Allowance()
            let count = log.count
            for (key, value) in log.entries(entry, "expected 'statement: …' or 'file: …'") {
                switch YAMLLog.text(of: key) {
                case "statement":
                    allowance.statement = log.string(value).map(CheckedText.pattern)
                case "file": allowance.file = log.string(value)
                default: addUnknown(key, "key", ["statement", "file"])
                }
            }
            if allowance == CheckSettings.Allowance(), log.count == count {
                log.add("expected 'statement: …' or 'file: …'", at: entry.mark)
            }
            return allowance
        }
    }

    private func addUnknown(_ node: Node, _ kind: String, _ known: [String]) {
        let name = YAMLLog.text(of: node)
        log.add("unknown \(kind) '\(name)'" + NearestName.hint(name, among: known), at: node.mark)
    }
}
