import TerminalUI

/// The first row of a dashboard, with the state on the right.
struct HeaderBar {
    /// A segment of the row, shown completely or not at all.
    struct Segment {
        var spans: [Span]
        /// The importance of the segment if the row is too narrow for all segments.
        ///
        /// Segments with the lowest priority are omitted first.
        var priority: Int
    }

    let segments: [Segment]
    let state: (mark: String, text: String, role: Role)
    /// Whether a recording is in progress.
    var isRecording = false

    /// Draws the state and the segments that fit.
    func draw(on canvas: inout Canvas, in row: Rect) {
        let theme = canvas.theme
        canvas.fill(row, style: theme.raised(.text))
        var stateStyle = theme.raised(state.role)
        stateStyle.attributes.insert(.bold)
        var stateSpans = [Span(" \(state.mark) \(state.text) ", stateStyle)]
        if isRecording {
            var style = theme.raised(.error)
            style.attributes.insert(.bold)
            stateSpans.insert(Span(" ● REC ", style), at: 0)
        }
        let segments = segments + [Segment(spans: stateSpans, priority: 100)]
        let tracks = segments.map { segment in
            Track.fixed(canvas.width(of: segment.spans), priority: segment.priority)
        }
        let widths = Track.lengths(of: tracks, available: row.width - 1, spacing: 2)
        var x = row.minX + 1
        for (segment, width) in zip(segments.dropLast(), widths) where width > 0 {
            canvas.write(segment.spans, x: x, y: row.minY, limit: width)
            x += width + 2
        }
        if let width = widths.last, width > 0 {
            canvas.write(stateSpans, x: row.maxX - width, y: row.minY)
        }
    }
}
