import Text

/// The lock waits with the same waiting and blocking processes, the same statements, and the same
/// outcome.
struct BlockGroup {
    /// The longest wait.
    private(set) var longest: WatchedBlock
    private(set) var count = 1
    private(set) var seconds: Double

    private init(_ block: WatchedBlock) {
        longest = block
        seconds = block.seconds
    }

    /// Groups waits and returns the groups in the order of their first waits.
    static func groups(of blocks: [WatchedBlock]) -> [BlockGroup] {
        struct Key: Hashable {
            var sql: String?
            var pid: Int32
            var failed: Bool
            var blocker: Int32?
            var blockingSQL: String?
        }
        var groups: [BlockGroup] = []
        var indices: [Key: Int] = [:]
        for block in blocks {
            let key = Key(
                sql: block.sql,
                pid: block.pid,
                failed: block.failed,
                blocker: block.by?.pid,
                blockingSQL: block.by?.sql
            )
            if let index = indices[key] {
                groups[index].add(block)
            } else {
                indices[key] = groups.count
                groups.append(BlockGroup(block))
            }
        }
        return groups
    }

    private mutating func add(_ block: WatchedBlock) {
        count += 1
        seconds += block.seconds
        if block.seconds > longest.seconds { longest = block }
    }

    /// A sentence about the longest wait, with the number and total time of all waits.
    var sentence: String {
        guard count > 1 else { return longest.sentence }
        return longest.sentence + " (the longest of \(HumanUnits.exact(UInt64(count))) such waits; "
            + "\(HumanUnits.duration(seconds: seconds)) in total)"
    }
}
