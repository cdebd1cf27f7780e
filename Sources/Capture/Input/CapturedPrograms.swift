import Text

/// What is known about the captured programs, apart from their statements: their names and the
/// settings of their connections.
package struct CapturedPrograms: Sendable {
    /// The settings of each connection, as values of pragmas.
    private var settings: [String: [String: String]] = [:]
    private var names: [Int: String] = [:]

    /// The maximum number of connections whose settings are kept.
    private static let capacity = 10_000
    /// The maximum length of a name, in characters.
    private static let nameLength = 24

    package init() {}

    /// Sets what is known about a connection, whose unknown settings remain as they were.
    ///
    /// - Parameters:
    ///   - values: The settings in force, as values of pragmas.
    ///   - connection: The process and name of the connection.
    package mutating func set(_ values: [String: String], of connection: String) {
        guard settings.count < Self.capacity || settings[connection] != nil else { return }
        settings[connection, default: [:]].merge(values) { $1 }
    }

    /// Sets the name of a process, such as `python3 svc.py web`.
    package mutating func setName(_ name: String, of process: Int) {
        guard names.count < Self.capacity || names[process] != nil else { return }
        names[process] = name
    }

    /// Whether the process has a name.
    package func isNamed(_ process: Int) -> Bool { names[process] != nil }

    /// A setting that most connections have.
    struct Setting {
        var value: String
        var reason: String
    }

    /// Returns the setting in force for most transactions, or `nil` if it is unknown.
    ///
    /// - Parameters:
    ///   - pragma: The name of the setting.
    ///   - writes: For a setting that affects only writes, the number of each connection's write
    ///     transactions. Connections without any do not count, unless no connection has one.
    /// - Returns: The setting with its reason.
    func setting(_ pragma: String, writes: [String: Int] = [:]) -> Setting? {
        var known = settings.compactMap { name, values in
            values[pragma].map { (value: $0, writes: writes[name] ?? 0) }
        }
        let areWriters = known.contains { $0.writes > 0 }
        if areWriters { known = known.filter { $0.writes > 0 } }
        let counts = known.reduce(into: [String: Int]()) {
            $0[$1.value, default: 0] += max(1, $1.writes)
        }
        guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else {
            return nil
        }
        let users = areWriters ? "connections that write" : "connections"
        let reason =
            switch (known.count { $0.value == most.key }, known.count) {
            case (1, 1):
                areWriters ? "in force on the connection that writes" : "in force on its connection"
            case (let count, let all) where count == all:
                "in force on all \(HumanUnits.exact(all)) \(users)"
            case (let count, let all):
                "in force on \(HumanUnits.exact(count)) of \(HumanUnits.exact(all)) \(users)"
            }
        return Setting(value: most.key, reason: reason)
    }

    /// Returns the names of processes for a scenario, without the words that all of them have in
    /// common.
    ///
    /// `python3 svc.py web` and `python3 svc.py jobs` become `web` and `jobs`.
    func shortNames(of processes: Set<Int>) -> [Int: String] {
        let words = names.filter { processes.contains($0.key) }.mapValues { name in
            name.split(separator: " ").map(Self.plain).filter { !$0.isEmpty }
        }
        // A name of one word is the program. The first of several words is an interpreter.
        let common = Self.commonPrefix(words.values.map { $0 })
        return words.compactMapValues { words in
            let count = max(common, words.count > 1 ? 1 : 0)
            let rest = words.dropFirst(max(0, min(count, words.count - 1)))
            let name = rest.joined(separator: "-")
            return name.isEmpty ? nil : String(name.prefix(Self.nameLength))
        }
    }

    private static func commonPrefix(_ lists: [[String]]) -> Int {
        guard Set(lists).count > 1, let first = lists.first else { return 0 }
        return first.indices.first { index in
            lists.contains { !$0.indices.contains(index) || $0[index] != first[index] }
        } ?? first.count
    }

    /// Returns a word without a file extension, and without characters that have a meaning in
    /// scenarios.
    private static func plain(_ word: Substring) -> String {
        let stem = word.split(separator: ".", omittingEmptySubsequences: true).first ?? word
        return String(
            String.UnicodeScalarView(
                stem.unicodeScalars.map { scalar in
                    let isPlain =
                        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
                        || ("0"..."9").contains(scalar) || scalar == "_"
                    return isPlain ? scalar : "-"
                }
            )
        ).split(separator: "-").joined(separator: "-")
    }
}
