/// The queue or pool that serves the accesses in a prediction.
package struct WhatIfSetting: Sendable, Codable, Hashable, CustomStringConvertible {
    /// The number of a pool's readers, or `nil` for a queue.
    package var readers: Int?

    /// A queue, which has only one connection.
    package static let queue = WhatIfSetting(readers: nil)

    /// Returns a pool with `readers` readers.
    package static func pool(readers: Int) -> WhatIfSetting { WhatIfSetting(readers: readers) }

    /// The default settings of predictions, which are a queue and pools with 1 to 16 readers.
    package static let all = [queue] + (1...16).map { pool(readers: $0) }

    /// The title, such as `queue` or `4 readers`.
    package var description: String {
        readers.map { "\($0) reader\($0 == 1 ? "" : "s")" } ?? "queue"
    }

    /// Returns the titles of ordered settings, with ranges for consecutive numbers of readers, such
    /// as `queue`, `2 readers`, and `4 … 16 readers`.
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

    static func title(from first: WhatIfSetting, to last: WhatIfSetting) -> String {
        guard let from = first.readers, let to = last.readers, from < to else { return "\(first)" }
        return "\(from) … \(to) readers"
    }

    /// The two nearest settings, in ascending order of connections.
    package var neighbors: [WhatIfSetting] {
        guard let readers else { return [.pool(readers: 1), .pool(readers: 2)] }
        return [readers > 1 ? .pool(readers: readers - 1) : .queue, .pool(readers: readers + 1)]
    }
}
