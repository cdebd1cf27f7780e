import Findings
import PoolgaugeAgent
import SQLiteWatch
import Telemetry
import Text

/// A search that finds the longest waits in a period.
struct WaitSearch {
    private let contents: RecordingContents
    private let indexes: Range<Int>

    init(_ contents: RecordingContents, _ indexes: Range<Int>) {
        self.contents = contents
        self.indexes = indexes
    }

    /// Returns the indexes of the samples with the longest waits, the longest first.
    ///
    /// Consecutive samples of a source that contain a wait count as one wait.
    func longest(_ count: Int) -> [Int] {
        var peaks: [Int] = []
        var current: [Int: Int] = [:]
        for index in indexes {
            let row = contents.rows[index]
            guard waitTime(index) > 0 else {
                if let peak = current.removeValue(forKey: row.source) { peaks.append(peak) }
                continue
            }
            if let peak = current[row.source], waitTime(peak) >= waitTime(index) { continue }
            current[row.source] = index
        }
        peaks += current.values
        return Array(peaks.sorted { (waitTime($1), $0) < (waitTime($0), $1) }.prefix(count))
    }

    private func waitTime(_ index: Int) -> UInt64 {
        contents.rows[index].facts.waitNanoseconds ?? 0
    }
}

extension RecordedValue {
    /// The longest wait and the holders, or `nil` if there is no wait.
    var waitDetail: String? {
        switch self {
        case .run(let sample): Self.waitDetail(of: sample.database)
        case .agent(let status): Self.waitDetail(of: status.database)
        case .watch(let report): Self.waitDetail(of: report)
        }
    }

    private static func waitDetail(of database: DatabaseStatus) -> String? {
        let readers = database.waitingReaders.max { $0.waitedNanoseconds < $1.waitedNanoseconds }
        let writers = database.waitingWriters.max { $0.waitedNanoseconds < $1.waitedNanoseconds }
        let isRead = (readers?.waitedNanoseconds ?? 0) >= (writers?.waitedNanoseconds ?? 0)
        guard let waiter = isRead ? readers : writers else { return nil }
        let count = isRead ? database.waitingReaders.count : database.waitingWriters.count
        let holders = database.connections.filter { connection in
            connection.holder != nil
                && (isRead ? connection.role != .writer : connection.role != .reader)
        }.sorted { ($0.heldNanoseconds ?? 0) > ($1.heldNanoseconds ?? 0) }
        let texts = holders.prefix(3).map { connection in
            let held = connection.heldNanoseconds.map {
                " for " + HumanUnits.duration(nanoseconds: $0)
            }
            return "\(connection.holder?.name ?? "") holds \(connection.label)\(held ?? "")"
        }
        let rest = holders.count - 3
        let more = rest > 0 ? ["\(rest) more \(rest == 1 ? "holder" : "holders")"] : []
        let others = count > 1 ? " and \(count - 1) more" : ""
        let verb = count > 1 ? " wait" : " waits"
        return
            ([waiter.origin.name + others + verb + (isRead ? " to read" : " to write")]
            + texts + more).joined(separator: "; ")
    }

    private static func waitDetail(of report: WatchReport) -> String? {
        if let block = report.blocked?.max(by: { $0.seconds < $1.seconds }) {
            let waiter = "\(block.name ?? "process") (PID \(block.pid)) waited"
            guard let blocker = block.by else { return waiter }
            return waiter + "; \(blocker.name ?? "process") (PID \(blocker.pid)) held the lock"
        }
        let waiting = report.processes.filter { $0.waiting?.isWaiting == true }
            .map { "\($0.name) (PID \($0.pid))" }
        guard !waiting.isEmpty else { return nil }
        let holder = report.processes.first { $0.locks.contains { $0.kind.isWrite } }
        let held = holder.map { ["\($0.name) (PID \($0.pid)) holds the write lock"] } ?? []
        let verb = waiting.count == 1 ? " waits" : " wait"
        return ([waiting.joined(separator: ", ") + verb] + held).joined(separator: "; ")
    }
}
