/// A row or column of a layout, with lengths in cells.
package struct Track: Sendable, Equatable {
    /// The minimum length, below which the track is omitted.
    package var minimum: Int
    /// The length required to show all content.
    package var ideal: Int
    /// The maximum useful length.
    package var maximum: Int
    /// The priority.
    ///
    /// Tracks with the lowest priority are omitted first, starting with the last one.
    package var priority: Int
    /// The share of the space that remains when all tracks have their ideal length.
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
        var shown = tracks.indices.filter { tracks[$0].maximum > 0 }
        func needed() -> Int {
            shown.reduce(0) { $0 + tracks[$1].minimum } + spacing * max(0, shown.count - 1)
        }
        while needed() > available {
            guard
                let lowest = shown.indices.min(by: { first, second in
                    let one = tracks[shown[first]].priority
                    let other = tracks[shown[second]].priority
                    return one == other ? first > second : one < other
                })
            else { break }
            shown.remove(at: lowest)
        }
        var lengths = Array(repeating: 0, count: tracks.count)
        var left = available - needed()
        for index in shown { lengths[index] = tracks[index].minimum }
        let byPriority = shown.sorted { first, second in
            let one = tracks[first].priority
            let other = tracks[second].priority
            return one == other ? first < second : one > other
        }
        for index in byPriority {
            let growth = min(left, tracks[index].ideal - tracks[index].minimum)
            lengths[index] += growth
            left -= growth
        }
        share(left, among: shown, of: tracks, lengths: &lengths)
        return lengths
    }

    /// Distributes cells in proportion to ``flex`` until no track can use more cells.
    private static func share(
        _ cells: Int,
        among shown: [Int],
        of tracks: [Track],
        lengths: inout [Int]
    ) {
        var left = cells
        while left > 0 {
            let open = shown.filter { tracks[$0].flex > 0 && lengths[$0] < tracks[$0].maximum }
            let shares = open.reduce(0) { $0 + tracks[$1].flex }
            guard shares > 0 else { return }
            let before = left
            for index in open {
                let part = max(1, before * tracks[index].flex / shares)
                let growth = min(left, part, tracks[index].maximum - lengths[index])
                lengths[index] += growth
                left -= growth
            }
        }
    }
}
