import Findings
import Text

/// A type that formats the settings of connections for ``WatchText``.
package enum WatchConnectionText {
    private static let limit = 20

    /// The connections of one program with the same settings.
    private struct Group {
        var connections: [WatchedConnection]

        var settings: ConnectionSettings { connections[0].settings }
    }

    /// Returns one line for each group of settings of a program, or an empty array if no
    /// connections are known.
    static func lines(of report: WatchReport) -> [String] {
        guard let connections = report.connections, !connections.isEmpty else { return [] }
        let programs = Dictionary(grouping: connections) { $0.name ?? "process \($0.pid)" }
            .sorted { ($0.value.count, $1.key) > ($1.value.count, $0.key) }
        var lines = [""]
        for (name, connections) in programs.prefix(limit) {
            let groups = groups(connections)
            for (index, group) in groups.prefix(limit).enumerated() {
                var about = connections[0].name == nil ? [] : [pids(group.connections)]
                if index == 0 { about += copy(connections, report) }
                let start =
                    count(group.connections.count) + " of \(name)"
                    + (about.isEmpty ? "" : " (\(about.joined(separator: "; ")))") + ": "
                let text =
                    index == 0
                    ? start + all(group.settings)
                    : start + changes(group.settings, since: groups[0].settings)
                lines += Paragraph.lines(text, first: "", rest: "  ")
            }
            if groups.count > limit { lines.append("  and \(groups.count - limit) more") }
        }
        if programs.count > limit {
            lines.append("and connections of \(programs.count - limit) more programs")
        }
        return lines + unseen(report)
    }

    /// Returns groups of equal settings, largest first.
    private static func groups(_ connections: [WatchedConnection]) -> [Group] {
        var groups: [Group] = []
        for connection in connections {
            if let index = groups.firstIndex(where: { $0.settings == connection.settings }) {
                groups[index].connections.append(connection)
            } else {
                groups.append(Group(connections: [connection]))
            }
        }
        // A stable order for equal sizes.
        return groups.enumerated().sorted {
            ($0.element.connections.count, $1.offset) > ($1.element.connections.count, $0.offset)
        }.map(\.element)
    }

    private static func count(_ count: Int) -> String {
        HumanUnits.counted(count, "connection", "connections")
    }

    private static let pidLimit = 4

    /// Returns the IDs of the processes with the connections.
    private static func pids(_ connections: [WatchedConnection]) -> String {
        let pids = Set(connections.map(\.pid)).sorted()
        let more = pids.count - pidLimit
        return pids.prefix(pidLimit).map(String.init).joined(separator: ", ")
            + (more > 0 ? " and \(more) more" : "")
    }

    /// Returns the versions of SQLite, or nothing if one of them is unknown.
    private static func copy(
        _ connections: [WatchedConnection],
        _ report: WatchReport
    ) -> [String] {
        let pids = Set(connections.map(\.pid))
        let versions = Set((report.copies ?? []).filter { pids.contains($0.pid) }.map(\.version))
        let known = versions.compactMap { $0 }.sorted()
        guard !known.isEmpty, known.count == versions.count else { return [] }
        return ["SQLite \(known.joined(separator: ", "))"]
    }

    /// Values that almost all connections have, and that the text leaves out.
    private static let usual: [ConnectionSetting: String] = [
        .lockingMode: "normal", .sharedCache: "off", .readOnly: "off", .queryOnly: "off",
        .threading: "serialized",
    ]

    private static func all(_ settings: ConnectionSettings) -> String {
        let values = ConnectionSetting.allCases.map { ($0, $0.words(settings)) }
        let unknown = values.filter { $0.1 == nil }.map(\.0.rawValue)
        guard unknown.count < values.count else { return "settings unknown" }
        var parts = values.compactMap { setting, value in
            value == nil || value == usual[setting]
                ? nil : "\(setting.rawValue) \(value ?? "")"
        }
        if !unknown.isEmpty { parts.append("unknown: " + unknown.joined(separator: " and ")) }
        return parts.joined(separator: ", ")
    }

    private static func changes(
        _ settings: ConnectionSettings,
        since other: ConnectionSettings
    ) -> String {
        let values = ConnectionSetting.allCases.map { ($0, $0.words(settings)) }
        guard values.contains(where: { $0.1 != nil }) else { return "settings unknown" }
        let parts = values.filter { $0.1 != $0.0.words(other) }
            .map { "\($0.rawValue) \($1 ?? "unknown")" }
        return "the same, but " + parts.joined(separator: ", ")
    }

    /// Returns the numbers of open connections that have not executed a statement.
    private static func unseen(_ report: WatchReport) -> [String] {
        (report.copies ?? []).flatMap { copy -> [String] in
            let unseen = copy.unseenConnections
            guard unseen > 0 else { return [] }
            return Paragraph.lines(
                "\(count(unseen)) of \(WatchStatementText.process(copy.name, copy.pid)) "
                    + (unseen == 1 ? "has" : "have")
                    + " executed no statement since tracing started; settings unknown",
                first: "",
                rest: "  "
            )
        }
    }
}
