import Foundation
import TerminalUI

/// The built-in themes and the themes in the user's folder.
struct ThemeLibrary {
    /// The valid themes.
    ///
    /// A theme in the user's folder replaces a built-in theme with the same name.
    let themes: [Theme]
    /// The errors in the files of the user's folder.
    let failures: [any Error]
    private let failuresByName: [String: any Error]

    private static let fileExtension = ".yaml"

    init(folder: String?) {
        var themes = Theme.builtIn
        var failures: [(name: String, error: any Error)] = []
        for path in Self.files(in: folder) {
            do {
                let theme = try Self.read(path)
                if let index = themes.firstIndex(where: { $0.name == theme.name }) {
                    themes[index] = theme
                } else {
                    themes.append(theme)
                }
            } catch {
                failures.append((Self.name(of: path), error))
            }
        }
        self.themes = themes
        self.failures = failures.map(\.error)
        failuresByName = Dictionary(failures.map { ($0.name, $0.error) }) { first, _ in first }
    }

    /// Returns the theme with the given name.
    ///
    /// If the name contains `/` or ends with `.yaml`, it is the path of a theme file.
    ///
    /// - Throws: The errors in the file, or ``UnknownThemeError``.
    func theme(named name: String) throws -> Theme {
        if name.contains("/") || name.hasSuffix(Self.fileExtension) { return try Self.read(name) }
        // A built-in theme must not hide an error in the user's file with the same name.
        if let failure = failuresByName[name] { throw failure }
        if let theme = themes.first(where: { $0.name == name }) { return theme }
        throw UnknownThemeError(name: name, knownNames: themes.map(\.name))
    }

    private static func files(in folder: String?) -> [String] {
        guard let folder,
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        else { return [] }
        return names.filter { $0.hasSuffix(fileExtension) && !$0.hasPrefix(".") }.sorted()
            .map { "\(folder)/\($0)" }
    }

    private static func read(_ path: String) throws -> Theme {
        guard let yaml = try TextFile.read(path) else {
            throw CommandFailure("there is no theme file '\(path)'; check the path")
        }
        return try Theme.parse(yaml: yaml, file: path)
    }

    private static func name(of path: String) -> String {
        String((path.split(separator: "/").last ?? "").dropLast(fileExtension.count))
    }
}

/// A picture of a theme's roles and gradients.
struct ThemePreview {
    let theme: Theme

    /// Sample text for each role, similar to the dashboard's text.
    private static let samples: [Role: String] = [
        .text: "ordinary text", .dim: "units and hints", .border: "╭─ border ─╮",
        .title: "Title", .accent: "q quit", .track: "··········", .ok: "✔ all is well",
        .warning: "▲ unusual", .error: "✖ failed", .reader: "reader-1",
        .writer: "writer", .snapshot: "snapshot-1", .waiting: "3 waiting", .limit: "max 4",
        .running: "● running SQL", .held: "◆ held, no SQL", .committing: "▼ committing",
        .locked: "✖ waits for a lock", .opening: "○ opening", .idle: "· idle",
    ]

    func surface(glyphs: GlyphSet) -> Surface {
        let roles = Role.allCases.filter { Self.samples[$0] != nil }
        let rows = (roles.count + 1) / 2
        let size = Size(width: 78, height: rows + GradientRole.allCases.count + 6)
        var canvas = Canvas(size: size, theme: theme, glyphs: glyphs)
        let frame = Panel(title: theme.name, remark: "theme").draw(on: &canvas, in: canvas.bounds)
        canvas.write(
            theme.summary,
            in: frame.row(0),
            style: theme.style(.dim),
            alignment: .leading
        )
        let columns = frame.dropping(rows: 2).columns([frame.width / 2, frame.width / 2])
        for (index, role) in roles.enumerated() {
            draw(role, on: &canvas, in: columns[index / rows].row(index % rows))
        }
        for (index, gradient) in GradientRole.allCases.enumerated() {
            draw(gradient, on: &canvas, in: frame.row(rows + 3 + index))
        }
        return canvas.surface
    }

    private func draw(_ role: Role, on canvas: inout Canvas, in row: Rect) {
        let name = theme.style(.dim)
        canvas.write(role.rawValue, in: row, style: name, alignment: .leading)
        let sample = Self.samples[role] ?? ""
        let displayedSample = canvas.glyphs == .ascii ? sample.filter(\.isASCII) : sample
        canvas.write(
            [Span(displayedSample, theme.style(role))],
            x: row.minX + 12,
            y: row.minY,
            limit: 22
        )
    }

    private func draw(_ gradient: GradientRole, on canvas: inout Canvas, in row: Rect) {
        canvas.write(gradient.rawValue, in: row, style: theme.style(.dim), alignment: .leading)
        let glyph = canvas.glyphs == .ascii ? "#" : "█"
        let width = row.width - 12
        for step in 0..<max(width, 0) {
            let share = Double(step) / Double(max(width - 1, 1))
            let style = theme.style(gradient, at: share)
            canvas.put(glyph, x: row.minX + 12 + step, y: row.minY, style: style)
        }
    }
}

extension Rect {
    fileprivate func dropping(rows: Int) -> Rect {
        Rect(x: minX, y: minY + rows, width: width, height: max(0, height - rows))
    }
}
