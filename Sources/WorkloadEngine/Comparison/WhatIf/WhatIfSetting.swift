/// The queue or pool that serves the accesses in a prediction.
public struct WhatIfSetting: Sendable, Codable, Hashable, CustomStringConvertible {
    /// The number of a pool's readers, or `nil` for a queue, whose only connection serves all
    /// accesses.
    public var readers: Int?

    /// The setting of a queue.
    public static let queue = WhatIfSetting(readers: nil)

    /// Returns a pool with `readers` readers.
    public static func pool(readers: Int) -> WhatIfSetting { WhatIfSetting(readers: readers) }

    /// The default settings of predictions: a queue, and pools with 1 to 16 readers.
    public static let all = [queue] + (1...16).map { pool(readers: $0) }

    /// The setting's title: `queue` or `4 readers`.
    public var description: String {
        readers.map { "\($0) reader\($0 == 1 ? "" : "s")" } ?? "queue"
    }

    /// Returns the titles of ordered settings, combining pools with consecutive numbers of readers:
    /// `queue`, `2 readers`, `4 … 16 readers`.
    static func titles(of settings: [WhatIfSetting]) -> [String] {
        var ranges: [(first: WhatIfSetting, last: WhatIfSetting)] = []
        for setting in settings {
            if let last = ranges.last?.last.readers, setting.readers == last + 1 {
                ranges[ranges.count - 1].last = setting
            } else {
                ranges.append((setting, setting))
            }
        }
        return ranges.map { title(from: $0.first, to: $0.last) }
    }

    /// Returns the title of a range of settings.
    static func title(from first: WhatIfSetting, to last: WhatIfSetting) -> String {
        guard let from = first.readers, let to = last.readers, from < to else { return "\(first)" }
        return "\(from) … \(to) readers"
    }

    /// The two nearest settings, starting with the one that has fewer connections.
    public var neighbours: [WhatIfSetting] {
        guard let readers else { return [.pool(readers: 1), .pool(readers: 2)] }
        return [readers > 1 ? .pool(readers: readers - 1) : .queue, .pool(readers: readers + 1)]
    }
}
