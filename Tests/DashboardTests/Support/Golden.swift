import Foundation
import TerminalUI
import Testing

/// A comparison of surfaces with the pictures in the `Golden` folder.
///
/// `POOLGAUGE_RECORD=1 swift test --filter DashboardTests` records the pictures again. Review them
/// before you commit them. If `POOLGAUGE_SVG` is set, the pictures are also written to that folder
/// as SVG.
enum Golden {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Golden")

    /// Expects a surface to match the picture with the given name.
    static func expect(
        _ surface: Surface,
        named name: String,
        styles: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let environment = ProcessInfo.processInfo.environment
        let picture = surface.plainText + (styles ? styleMap(surface) : "")
        if let svgFolder = environment["POOLGAUGE_SVG"] {
            let svg = SVGRenderer.render(surface, title: name)
            let target = URL(filePath: svgFolder).appending(path: name + ".svg")
            try svg.write(to: target, atomically: true, encoding: .utf8)
        }
        try expect(picture, named: name, sourceLocation: sourceLocation)
    }

    /// Returns a digest of all characters and styles (FNV-1a, 64 bits).
    static func digest(of surface: Surface) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        func add(_ color: Color) {
            switch color {
            case .standard: add(0)
            case .indexed(let index):
                add(1)
                add(index)
            case .rgb(let red, let green, let blue):
                add(2)
                for byte in [red, green, blue] { add(byte) }
            }
        }
        for cell in surface.cells {
            for byte in cell.character.utf8 { add(byte) }
            add(cell.style.attributes.rawValue)
            add(cell.style.foreground)
            add(cell.style.background)
        }
        return String(hash, radix: 16)
    }

    /// Expects text to match the file with the given name.
    static func expect(
        _ picture: String,
        named name: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let environment = ProcessInfo.processInfo.environment
        let file = folder.appending(path: name + ".txt")
        if environment["POOLGAUGE_RECORD"] != nil {
            try picture.write(to: file, atomically: true, encoding: .utf8)
            return
        }
        let golden = try String(contentsOf: file, encoding: .utf8)
        guard picture != golden else { return }
        let new = picture.split(separator: "\n", omittingEmptySubsequences: false)
        let old = golden.split(separator: "\n", omittingEmptySubsequences: false)
        let row = zip(new, old).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? -1
        let drawn = new.indices.contains(row) ? String(new[row]) : "\(new.count) lines"
        let expected = old.indices.contains(row) ? String(old[row]) : "\(old.count) lines"
        Issue.record(
            "\(name) differs from line \(row + 1) on\n  now: \(drawn)\n  was: \(expected)",
            sourceLocation: sourceLocation
        )
    }

    /// Returns a letter for the style of each cell, as in a terminal with sixteen colors, and a
    /// legend.
    private static func styleMap(_ surface: Surface) -> String {
        let reduced = surface.reduced(to: .basic16)
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
        var known: [Style: Character] = [:]
        var legend = "\n"
        var map = "\n"
        for y in 0..<reduced.size.height {
            var line = ""
            for x in 0..<reduced.size.width {
                let style = reduced[x, y].style
                if known[style] == nil {
                    known[style] = known.count < letters.count ? letters[known.count] : "?"
                    legend += "\(known[style] ?? "?") = \(describe(style))\n"
                }
                line.append(known[style] ?? "?")
            }
            map += line + "\n"
        }
        return map + legend
    }

    private static func describe(_ style: Style) -> String {
        func name(_ color: Color) -> String {
            switch color {
            case .standard: "standard"
            case .indexed(let index): "\(index)"
            case .rgb(let red, let green, let blue): "\(red),\(green),\(blue)"
            }
        }
        let bold = style.attributes.contains(.bold) ? " bold" : ""
        return "\(name(style.foreground)) on \(name(style.background))\(bold)"
    }
}
