/// What serves the accesses in a prediction.
public struct WhatIfSetting: Sendable, Codable, Hashable, CustomStringConvertible {
    /// How many readers a pool has beside its writer; absent for a queue, in which one connection
    /// serves everybody.
    public var readers: Int?

    /// A queue.
    public static let queue = WhatIfSetting(readers: nil)

    /// A pool with so many readers.
    public static func pool(readers: Int) -> WhatIfSetting { WhatIfSetting(readers: readers) }

    /// The settings that are predicted by default: a queue, and pools of 1 to 16 readers.
    public static let all = [queue] + (1...16).map { pool(readers: $0) }

    /// `queue` or `4 readers`.
    public var description: String {
        readers.map { "\($0) reader\($0 == 1 ? "" : "s")" } ?? "queue"
    }

    /// What settings in their order are called, with pools of neighbouring numbers of readers
    /// together: `queue`, `2 readers`, `4 … 16 readers`.
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

    /// What a range of settings is called.
    static func title(from first: WhatIfSetting, to last: WhatIfSetting) -> String {
        guard let from = first.readers, let to = last.readers, from < to else { return "\(first)" }
        return "\(from) … \(to) readers"
    }

    /// The two settings that are a step away, fewer connections first.
    public var neighbours: [WhatIfSetting] {
        guard let readers else { return [.pool(readers: 1), .pool(readers: 2)] }
        return [readers > 1 ? .pool(readers: readers - 1) : .queue, .pool(readers: readers + 1)]
    }
}
