import Findings

/// The queries that a connection executes again and again, such as for each row of another query
/// ("N+1").
struct QueryRepetitions {
    typealias Report = CheckedConnection.Report

    /// The executions of a query since the start of a burst or transaction.
    private struct Repetition {
        var count: UInt64 = 0
        /// The starts of the last executions.
        var starts: [UInt64] = []
        /// The number of executions on the connection until the last one.
        var position: UInt64 = 0
        /// Whether changes were committed in between, as between the steps of a test.
        var hasCommits = false
        /// The list of rows directly before, and the number of executions since.
        var list: List?
        /// Whether at most one other statement separates the list from the first execution.
        var isDirect = false
        var countSinceList: UInt64 = 0

        static let startLimit = 256
    }

    /// A query that returned several rows.
    struct List {
        var text: String
        var rows: UInt64
        var start: UInt64
        /// The number of executions on the connection until then.
        var position: UInt64

        /// Whether a number of executions is one for each row or, if they are certainly in the loop,
        /// for each different value.
        func matches(_ count: UInt64, isCertain: Bool) -> Bool {
            count <= rows &+ 1 && count >= (isCertain ? rows / 4 : rows - min(1, rows))
        }
    }

    private let limit: Double
    private var repetitions: [String: Repetition] = [:]
    /// The last query that returned several rows.
    private var list: List?

    /// The maximum number of queries to observe at the same time.
    private static let capacity = 32
    /// The factor by which more executions than rows of another statement are required, without such
    /// a statement.
    private static let withoutList = 5.0

    /// - Parameter limit: The number of executions from which a query is repeated.
    init(limit: Double) { self.limit = limit }

    /// Adds an execution of a query, and returns the list of rows that it returned, if they are
    /// several.
    mutating func add(
        _ statement: CheckedStatement,
        rows: UInt64,
        start: UInt64,
        position: UInt64,
        _ report: Report
    ) -> List? {
        if statement.hasValue { count(statement.text, start: start, at: position, report: report) }
        guard Double(rows) >= limit else { return nil }
        let new = List(text: statement.text, rows: rows, start: start, position: position)
        // The program may execute a query for each row while it reads the rows.
        attribute(new, report: report)
        list = new
        return new
    }

    /// Notes that changes were committed.
    mutating func noteCommit() {
        for text in repetitions.keys { repetitions[text]?.hasCommits = true }
    }

    private mutating func count(
        _ text: String,
        start: UInt64,
        at position: UInt64,
        report: Report
    ) {
        if repetitions.count >= Self.capacity, repetitions[text] == nil { end(report) }
        var entry = repetitions.removeValue(forKey: text) ?? Repetition()
        let distance = position - min(entry.position, position)
        if entry.hasCommits, distance > CheckedConnection.loopLength {
            judge(entry, of: text, report: report)
            entry = Repetition()
        }
        if let list, list.position > entry.position, list.text != text {
            judgeList(entry, of: text, report: report)
            let distance = position - list.position
            entry.list = distance <= CheckedConnection.loopLength ? list : nil
            entry.isDirect = distance <= 2
            entry.countSinceList = 0
        }
        entry.count += 1
        entry.countSinceList += 1
        entry.position = position
        if entry.starts.count >= Repetition.startLimit { entry.starts.removeFirst() }
        entry.starts.append(start)
        repetitions[text] = entry
    }

    /// Attributes the executions of other queries to a list that was read meanwhile, on this
    /// connection or on another one of the process.
    mutating func attribute(_ list: List, report: Report) {
        for (text, entry) in repetitions.sorted(by: { $0.key < $1.key }) where text != list.text {
            let count = UInt64(entry.starts.count { $0 >= list.start })
            guard Double(count) >= limit, list.matches(count, isCertain: true) else {
                continue
            }
            self.report(text, count: count, list: list, report: report)
            repetitions[text] = nil
        }
    }

    /// Judges all queries at the end of a burst or transaction.
    mutating func end(forgettingList: Bool = false, _ report: Report) {
        for (text, entry) in repetitions.sorted(by: { $0.key < $1.key }) {
            judge(entry, of: text, report: report)
        }
        repetitions = [:]
        if forgettingList { list = nil }
    }

    private func judge(_ entry: Repetition, of text: String, report: Report) {
        let limit = limit * Self.withoutList
        if !judgeList(entry, of: text, report: report), !entry.hasCommits,
            Double(entry.count) >= limit
        {
            self.report(text, count: entry.count, list: nil, report: report)
        }
    }

    @discardableResult
    private func judgeList(_ entry: Repetition, of text: String, report: Report) -> Bool {
        guard let list = entry.list, Double(entry.countSinceList) >= limit,
            list.matches(
                entry.countSinceList,
                isCertain: entry.isDirect && !entry.hasCommits
            )
        else { return false }
        self.report(text, count: entry.countSinceList, list: list, report: report)
        return true
    }

    private func report(_ text: String, count: UInt64, list: List?, report: Report) {
        var found = CheckObservation(.repeated, text, count: count, related: list?.text)
        found.measure = Double(count)
        report(found)
    }
}
