/// The target of a mouse click.
///
/// While drawing, a widget declares the target of each area that responds to clicks.
package enum MouseTarget: Sendable, Hashable {
    /// A key in the key bar.
    ///
    /// A click has the same effect as the key.
    case key(Key)
    /// A row of a list, identified by name.
    case row(String)
    /// The title of a sortable column.
    case column(String)
    /// A time on a chart, in seconds since the start of the run.
    case time(Double)
}

struct MouseArea: Sendable {
    var rect: Rect
    var meaning: Meaning

    enum Meaning: Sendable {
        case target(MouseTarget)
        /// The times between the left and right edges of the area.
        case times(from: Double, to: Double)
    }
}

extension Canvas {
    /// Declares the mouse target of an area.
    ///
    /// Later targets cover earlier targets.
    package mutating func mark(_ rect: Rect, as target: MouseTarget) {
        mark(rect.intersection(clip), .target(target))
    }

    /// Declares that an area shows the times from `start` to `end`, in seconds.
    package mutating func markTimes(_ rect: Rect, from start: Double, to end: Double) {
        mark(rect.intersection(clip), .times(from: start, to: end))
    }

    private mutating func mark(_ rect: Rect, _ meaning: MouseArea.Meaning) {
        guard !rect.isEmpty else { return }
        mouseAreas.append(MouseArea(rect: rect, meaning: meaning))
    }

    package func target(at point: Point) -> MouseTarget? {
        let area = mouseAreas.last { area in
            (area.rect.minX..<area.rect.maxX).contains(point.x)
                && (area.rect.minY..<area.rect.maxY).contains(point.y)
        }
        guard let area else { return nil }
        switch area.meaning {
        case .target(let target): return target
        case .times(let start, let end):
            let share = (Double(point.x - area.rect.minX) + 0.5) / Double(area.rect.width)
            return .time(start + (end - start) * share)
        }
    }
}
