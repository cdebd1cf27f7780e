import Text
import YAML
import Yams

/// A type that finds a setting in a scenario's YAML and replaces its value.
struct SettingPath {
    /// The error for an unknown path or an invalid value.
    struct Failure: Error {
        var message: String
    }

    private let path: String
    private let keys: [String]
    private let value: Node
    private let knownPaths: [String]

    /// The keys with user-defined entries.
    ///
    /// A setting for a value inside an entry does not create the entry.
    private static let namedParts: Set = ["arms", "clients", "variables", "transactions"]

    init(_ setting: Scenario.Setting, in root: Node) throws {
        path = setting.path
        keys = setting.path.split(separator: ".", omittingEmptySubsequences: false)
            .map(String.init)
        knownPaths = Self.paths(of: root)
        if keys.contains("") {
            throw Failure(
                message: "'\(path)' is not a valid path" + NearestName.hint(path, among: knownPaths)
            )
        }
        switch YAMLLog(file: "").document(setting.value) {
        case .root(let node): value = node
        case .empty: value = Node("", Tag(.null))
        case .invalid: throw Failure(message: "'\(setting.value)' is not valid YAML")
        }
    }

    func apply(to root: inout Node) throws {
        let parts = Language.scenario.keys.map(\.name)
        guard let first = keys.first, parts.contains(first) else {
            throw unknown(keys.first ?? "", in: "the scenario", among: parts)
        }
        root = try replacing(in: root, keys[...], isTop: true)
    }

    private func replacing(in node: Node, _ rest: ArraySlice<String>, isTop: Bool) throws -> Node {
        guard let key = rest.first else { return value }
        if case .mapping(var mapping) = node {
            // Prefer the longest matching key, because keys such as metrics may contain dots.
            for count in (1...rest.count).reversed() {
                let joined = rest.prefix(count).joined(separator: ".")
                guard let entry = mapping.first(where: { $0.key.scalar?.string == joined })
                else { continue }
                mapping[entry.key] = try replacing(
                    in: entry.value,
                    rest.dropFirst(count),
                    isTop: false
                )
                return .mapping(mapping)
            }
            return .mapping(try adding(to: mapping, rest, isTop: isTop))
        }
        if case .sequence(var sequence) = node {
            let names = sequence.map { $0.mapping?["name"]?.scalar?.string }
            let index = names.firstIndex(of: key) ?? Int(key)
            guard let index, sequence.indices.contains(index) else {
                throw unknown(
                    key,
                    in: "'\(prefix(before: rest))'",
                    among: names.enumerated().map { $0.element ?? String($0.offset) }
                )
            }
            sequence[index] = try replacing(in: sequence[index], rest.dropFirst(), isTop: false)
            return .sequence(sequence)
        }
        throw Failure(
            message: "'\(prefix(before: rest))' has no keys"
                + NearestName.hint(path, among: knownPaths)
        )
    }

    /// Adds a missing key.
    ///
    /// The decoder validates the key later.
    private func adding(
        to mapping: Node.Mapping,
        _ rest: ArraySlice<String>,
        isTop: Bool
    ) throws -> Node.Mapping {
        var mapping = mapping
        let part = keys[0]
        let isName = rest.startIndex == 1 && Self.namedParts.contains(part)
        if isName, rest.count > 1, let name = rest.first {
            let names = mapping.compactMap { $0.key.scalar?.string }
            // Suggest a correction for the misspelled name, not for a key that follows it.
            if let nearest = NearestName.of(name, among: names) {
                throw Failure(
                    message: "unknown \(part.dropLast()) '\(name)' in '\(path)'; "
                        + "did you mean '\(nearest)'?"
                )
            }
            throw unknown(name, in: "'\(part)'", among: names)
        }
        if part == "thresholds", !isTop {
            mapping[Node(rest.joined(separator: "."))] = value
            return mapping
        }
        guard let key = rest.first else { return mapping }
        mapping[Node(key)] =
            try rest.count == 1
            ? value : replacing(in: .mapping(Node.Mapping([])), rest.dropFirst(), isTop: false)
        return mapping
    }

    private func prefix(before rest: ArraySlice<String>) -> String {
        keys[..<rest.startIndex].joined(separator: ".")
    }

    /// Returns an error that suggests the nearest path or, if no path is near, the nearest of
    /// `names`.
    private func unknown(
        _ key: String,
        in container: String,
        among names: [String]
    ) -> Failure {
        if let nearest = NearestName.of(path, among: knownPaths) {
            return Failure(message: "unknown path '\(path)'; did you mean '\(nearest)'?")
        }
        return Failure(
            message: "unknown key '\(key)' in \(container)" + NearestName.hint(key, among: names)
        )
    }

    private static func paths(of node: Node, below prefix: String = "") -> [String] {
        func path(_ key: String) -> String { prefix.isEmpty ? key : "\(prefix).\(key)" }
        var found = prefix.isEmpty ? [] : [prefix]
        switch node {
        case .mapping(let mapping):
            for (key, value) in mapping {
                guard let name = key.scalar?.string else { continue }
                found += paths(of: value, below: path(name))
            }
        case .sequence(let sequence):
            for (index, entry) in sequence.enumerated() {
                let name = entry.mapping?["name"]?.scalar?.string ?? String(index)
                found += paths(of: entry, below: path(name))
            }
        default:
            break
        }
        return found
    }
}
