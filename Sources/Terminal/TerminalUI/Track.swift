/// A row or column of a layout, with lengths in cells.
package struct Track: Sendable, Equatable {
    /// The minimum length, below which the track is omitted.
    package var minimum: Int
    /// The length required to show all content.
    package var ideal: Int
    /// The maximum useful length.
    package var maximum: Int
    /// The importance of the track if the minimum lengths of all tracks do not fit.
    ///
    /// Tracks with the lowest priority are omitted first. Of tracks with the same priority, the
    /// last track is omitted first.
    package var priority: Int
    /// The weight of the track in the distribution of the space that remains when all tracks have
    /// their ideal lengths.
    package var flex: Int

    package init(minimum: Int, ideal: Int, maximum: Int = .max, priority: Int, flex: Int = 1) {
        self.minimum = max(0, minimum)
        self.ideal = max(self.minimum, ideal)
        self.maximum = max(self.ideal, maximum)
        self.priority = priority
        self.flex = max(0, flex)
    }

    package static func fixed(_ length: Int, priority: Int) -> Track {
        Track(minimum: length, ideal: length, maximum: length, priority: priority, flex: 0)
    }

    /// Returns the lengths of adjacent tracks.
    ///
    /// Omitted tracks have the length 0.
    ///
    /// First, tracks with low priority are omitted until the minimum lengths fit. Then, tracks grow
    /// to their ideal lengths in order of priority. Tracks with ``flex`` share the remaining space.
    ///
    /// `available` is the number of available cells, and `spacing` is the number of empty cells
    /// between two visible tracks.
    package static func lengths(of tracks: [Track], available: Int, spacing: Int = 0) -> [Int] {
        var visible = tracks.indices.filter { tracks[$0].maximum > 0 }
        func requiredLength() -> Int {
            visible.reduce(0) { $0 + tracks[$1].minimum } + spacing * max(0, visible.count - 1)
        }
        while requiredLength() > available {
            guard
                let lowest = visible.indices.min(by: { first, second in
                    let firstPriority = tracks[visible[first]].priority
                    let secondPriority = tracks[visible[second]].priority
                    return firstPriority == secondPriority
                        ? first > second : firstPriority < secondPriority
                })
            else { break }
            visible.remove(at: lowest)
        }
        var lengths = Array(repeating: 0, count: tracks.count)
        var remaining = available - requiredLength()
        for index in visible { lengths[index] = tracks[index].minimum }
        let prioritized = visible.sorted { first, second in
            let firstPriority = tracks[first].priority
            let secondPriority = tracks[second].priority
            return firstPriority == secondPriority
                ? first < second : firstPriority > secondPriority
        }
        for index in prioritized {
            let growth = min(remaining, tracks[index].ideal - tracks[index].minimum)
            lengths[index] += growth
            remaining -= growth
        }
        share(remaining, among: visible, of: tracks, lengths: &lengths)
        return lengths
    }

    /// Distributes cells in proportion to ``flex`` until no track can use more cells.
    private static func share(
        _ cells: Int,
        among visible: [Int],
        of tracks: [Track],
        lengths: inout [Int]
    ) {
        var remaining = cells
        while remaining > 0 {
            let growable = visible.filter {
                tracks[$0].flex > 0 && lengths[$0] < tracks[$0].maximum
            }
            let shares = growable.reduce(0) { $0 + tracks[$1].flex }
            guard shares > 0 else { return }
            let initial = remaining
            for index in growable {
                let part = max(1, initial * tracks[index].flex / shares)
                let growth = min(remaining, part, tracks[index].maximum - lengths[index])
                lengths[index] += growth
                remaining -= growth
            }
        }
    }
}
