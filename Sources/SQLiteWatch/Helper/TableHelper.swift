#if os(Linux)
/// A helper process that counts frames by table, which is asked without waiting for its answers.
struct TableHelper {
    /// What was counted of each database, by number, as of the last answer.
    private(set) var counts: [Int: TableCounts] = [:]

    private let command: [String]
    private var paths: [[UInt8]]
    private var helper: HelperProcess?
    /// The database of the request without an answer, and when it was sent.
    private var pending: (number: Int, sent: UInt64)?
    /// The database to ask about next.
    private var turn = 0
    /// Processor time that may be used now, in nanoseconds; it increases with time.
    private var credit: Double
    private var creditAt: UInt64 = 0
    private var nextRequest: UInt64 = 0
    private var retryAt: UInt64 = 0
    private var ended: UInt64 = 0
    private var current: UInt64 = 0
    /// What helpers counted that ended.
    private var settled: [Int: TableCounts] = [:]

    /// The share of one core that the helper may use.
    private let processorLimit: Double
    /// Seconds for which credit is saved.
    private static let saving = 10.0
    /// The most that one walk counts for, in nanoseconds.
    private static let largestDebt = 2e7
    /// Nanoseconds between two requests, at least.
    private static let requestPause: UInt64 = 100_000_000
    /// Nanoseconds after which a helper that does not answer is ended.
    private static let patience: UInt64 = 5_000_000_000
    /// Nanoseconds after which another helper is started.
    private static let pause: UInt64 = 10_000_000_000

    init(command: [String], paths: [String], processorLimit: Double) {
        self.command = command
        self.paths = paths.map { Array($0.utf8) }
        self.processorLimit = processorLimit
        credit = processorLimit * Self.saving * 1e9
    }

    /// The helper; 0 while none runs.
    var process: Int32 { helper?.process ?? 0 }

    /// Processor time that helpers have used, in nanoseconds.
    var nanoseconds: UInt64 { ended &+ current }

    /// Takes an answer, if there is one, and sends the next request that is due.
    ///
    /// - Parameters:
    ///   - now: The monotonic clock.
    ///   - isWanted: Whether a database has a log to read.
    mutating func proceed(at now: UInt64, isWanted: (Int) -> Bool) {
        do throws(HelperProcess.Failure) {
            if let pending {
                guard let helper, let answer = try helper.poll() else {
                    if now > pending.sent &+ Self.patience { throw .silent }
                    return
                }
                try take(answer)
            }
            earn(at: now)
            guard now >= nextRequest, credit > 0, let number = nextDatabase(isWanted) else {
                return
            }
            if helper == nil {
                guard now >= retryAt else { return }
                try start()
            }
            try helper?.send(.tables(slot: UInt8(number)))
            pending = (number, now)
            nextRequest = now &+ Self.requestPause
        } catch { fail(at: now) }
    }

    private mutating func nextDatabase(_ isWanted: (Int) -> Bool) -> Int? {
        for _ in paths.indices {
            turn = (turn + 1) % paths.count
            if isWanted(turn) { return turn }
        }
        return nil
    }

    private mutating func earn(at now: UInt64) {
        let elapsed = Double(now - min(now, creditAt))
        creditAt = now
        credit = min(credit + elapsed * processorLimit, processorLimit * Self.saving * 1e9)
    }

    /// Reads what was committed until now, as far as its credit permits, and waits for that.
    mutating func complete(at now: UInt64, isWanted: (Int) -> Bool) {
        do throws(HelperProcess.Failure) {
            guard let helper else { return }
            if pending != nil { try take(helper.receive()) }
            earn(at: now)
            for number in paths.indices where isWanted(number) {
                repeat {
                    pending = (number, now)
                    try take(helper.answer(to: .tables(slot: UInt8(number))))
                } while credit > 0 && counts[number]?.isBehind == true
            }
        } catch { fail(at: now) }
    }

    private mutating func take(_ answer: [UInt8]) throws(HelperProcess.Failure) {
        guard let pending, var found = TableCounts(answer) else { throw .malformed }
        let cost = Double(found.helperNanoseconds &- min(current, found.helperNanoseconds))
        credit = max(credit - cost, -Self.largestDebt)
        current = found.helperNanoseconds
        if let before = settled[pending.number] { found.add(before) }
        counts[pending.number] = found
        self.pending = nil
    }

    /// Adds a database, whose slot is the next number.
    ///
    /// A helper that runs ends: the next one, which is started on demand, knows all databases.
    mutating func add(path: String) {
        paths.append(Array(path.utf8))
        guard helper != nil else { return }
        helper = nil
        pending = nil
        ended &+= current
        current = 0
        settled = counts
    }

    private mutating func start() throws(HelperProcess.Failure) {
        let new = try HelperProcess(command)
        for (slot, path) in paths.enumerated() {
            _ = try new.answer(to: .watch(slot: UInt8(slot), path: path))
        }
        helper = new
    }

    private mutating func fail(at now: UInt64) {
        helper = nil
        pending = nil
        ended &+= current
        current = 0
        settled = counts
        retryAt = now &+ Self.pause
    }
}
#endif
