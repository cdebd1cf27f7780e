/// What a cell means to a mouse; widgets say it while they draw.
package enum MouseTarget: Sendable, Hashable {
    /// A key of the key bar: a click is as good as pressing it.
    case key(Key)
    /// A row of a list, by its name.
    case row(String)
    /// The title of a column that rows can be sorted by.
    case column(String)
    /// A time on a chart, in seconds since the run began.
    case time(Double)
}

/// A part of the screen that means something to a mouse.
struct MouseArea: Sendable {
    /// Where it is.
    var rect: Rect
    /// What it means there.
    var meaning: Meaning

    /// What a part of the screen means.
    enum Meaning: Sendable {
        /// The same everywhere.
        case target(MouseTarget)
        /// The times between its left edge and its right one.
        case times(from: Double, to: Double)
    }
}

extension Canvas {
    /// Says what a part of the screen means to a mouse; what is said last lies on top.
    package mutating func mark(_ rect: Rect, as target: MouseTarget) {
        mark(rect.intersection(clip), .target(target))
    }

    /// Says that a part of the screen shows the times between two, in seconds.
    package mutating func markTimes(_ rect: Rect, from start: Double, to end: Double) {
        mark(rect.intersection(clip), .times(from: start, to: end))
    }

    private mutating func mark(_ rect: Rect, _ meaning: MouseArea.Meaning) {
        guard !rect.isEmpty else { return }
        mouseAreas.append(MouseArea(rect: rect, meaning: meaning))
    }

    /// What a cell means to a mouse.
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
