import Findings
import SQLiteWatch
import TerminalUI
import Text

/// The screen with the effective settings of connections.
struct ConnectionSettingsScreen: WatchScreen {
    static let title = "Settings"
    static let help = "settings of each connection"
    static let sortableTitles = listing.sortableTitles

    let scene: WatchScene

    private static func column(
        _ title: String,
        setting: ConnectionSetting,
        width: Int,
        priority: Int
    ) -> Listing<WatchedConnection>.Column {
        let rank: @Sendable (WatchedConnection) -> Listing<WatchedConnection>.Rank = {
            .text(setting.words($0.settings) ?? "")
        }
        return Listing.Column(title, .fixed(width, priority: priority), rank: rank) {
            let words = setting.words($0.settings)
            let isInactive = $0.pragmas.contains { pragma in
                pragma.name == setting.rawValue && pragma.isActive == false
            }
            let style: Role = isInactive ? .warning : words == nil ? .dim : .text
            return Span(words ?? "?", $1.style(style))
        }
    }

    private static let listing = Listing<WatchedConnection>(
        columns: [
            Listing.Column(
                "process",
                Track(minimum: 10, ideal: 18, maximum: 26, priority: 20, flex: 0),
                rank: { .text($0.name ?? "") }
            ) { Span(WatchLabels.process($0.name ?? "?", pid: $0.pid), $1.bold(.text)) },
            column("timeout", setting: .busyTimeout, width: 11, priority: 19),
            column("journal", setting: .journalMode, width: 8, priority: 17),
            column("sync", setting: .synchronous, width: 6, priority: 18),
            column("cache", setting: .cacheSize, width: 12, priority: 15),
            column("mmap", setting: .mmapSize, width: 9, priority: 12),
            column("checkpoint", setting: .autocheckpoint, width: 10, priority: 13),
            column("fk", setting: .foreignKeys, width: 3, priority: 16),
            column("locks", setting: .lockingMode, width: 9, priority: 10),
            column("read only", setting: .readOnly, width: 9, priority: 11),
            column("query only", setting: .queryOnly, width: 10, priority: 7),
            column("shared", setting: .sharedCache, width: 6, priority: 8),
            column("threads", setting: .threading, width: 13, priority: 9),
        ],
        name: \.label
    )

    private var connections: [WatchedConnection] {
        Self.listing.arranged(scene.report?.connections ?? [], view: scene.view)
    }

    var rowNames: [String] { connections.map(\.label) }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        if scene.view.isExpanded, let selected = scene.view.selected,
            let connection = connections.first(where: { $0.label == selected })
        {
            return draw(connection, on: &canvas, in: rect)
        }
        Self.listing.draw(
            scene.report?.connections ?? [],
            view: scene.view,
            in: scene.tracingPanel("Settings", subtitle: subtitle, theme: canvas.theme),
            item: "connection",
            placeholder: TracingLine.reasonForEmptyScreen(scene.report),
            wrapsPlaceholder: true,
            on: &canvas,
            in: rect
        )
    }

    /// The number of connections that are not listed.
    private var subtitle: String {
        let unseen = (scene.report?.copies ?? []).map(\.unseenConnections).reduce(0, +)
        return unseen == 0
            ? "in force now" : "in force now; \(unseen) idle and not listed"
    }

    /// Draws all settings of a connection, and its copy of SQLite.
    private func draw(
        _ connection: WatchedConnection,
        on canvas: inout Canvas,
        in rect: Rect
    ) {
        let inner = Panel(title: "Connection").draw(on: &canvas, in: rect)
        var lines = [
            "\(WatchLabels.process(connection.name ?? "?", pid: connection.pid)), connection "
                + connection.connection, "",
        ]
        for setting in ConnectionSetting.allCases {
            var line = "\(setting.rawValue): \(setting.words(connection.settings) ?? "unknown")"
            if let pragma = connection.pragmas.first(where: { $0.name == setting.rawValue }) {
                line += " (PRAGMA \(pragma.name) = \(pragma.value)"
                line += pragma.isActive == false ? " is not in force)" : ")"
            }
            lines.append(line)
        }
        if let running = connection.running {
            let bound = running.isLowerBound == true ? "at least " : ""
            let duration = WatchLabels.duration(running.seconds)
            lines += ["", "running for \(bound)\(duration): \(running.sql)"]
        }
        let copy = scene.report?.copies?.first {
            $0.pid == connection.pid && $0.library == connection.library
        }
        lines += ["", "SQLite: \(copy?.version ?? "unknown version")"]
        lines += [copy?.sourceID, connection.library].compactMap { $0 }
        let wrapped = lines.flatMap {
            $0.isEmpty ? [""] : TextWrapping.lines(of: $0, width: inner.width)
        }
        for (index, line) in wrapped.prefix(inner.height).enumerated() {
            let style = canvas.theme.style(.text)
            canvas.write(line, in: inner.row(index), style: style, alignment: .leading)
        }
    }
}

extension WatchedConnection {
    fileprivate var label: String { "\(pid) \(connection)" }
}
