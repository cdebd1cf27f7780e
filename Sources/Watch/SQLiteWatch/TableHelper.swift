#if os(Linux)
/// A manager of the helper process that counts frames by table.
///
/// The manager starts the helper on demand, and starts another one after a failure. The caller
/// polls for responses.
struct TableHelper {
    /// The counts for each database, by the database's number.
    private(set) var counts: [Int: TableCounts] = [:]

    private let command: [String]
    private var paths: [[UInt8]]
    private var helper: HelperProcess?
    /// The database's number and the send time of the pending request.
    private var pending: (number: Int, sent: UInt64)?
    private var lastDatabase = 0
    /// The available processor time, in nanoseconds, which increases as time passes.
    private var credit: Double
    private var creditUpdateTime: UInt64 = 0
    private var nextRequestTime: UInt64 = 0
    private var retryTime: UInt64 = 0
    /// The total processor time of earlier helpers, in nanoseconds.
    private var endedNanoseconds: UInt64 = 0
    private var currentNanoseconds: UInt64 = 0
    /// The counts at the end of the previous helper, by the database's number.
    private var earlierCounts: [Int: TableCounts] = [:]

    /// The maximum share of one core for the helper.
    private let processorLimit: Double
    /// The time over which credit accumulates, in seconds.
    private static let creditSeconds = 10.0
    /// The maximum overdraft of credit, in nanoseconds.
    private static let largestDebt = 2e7
    /// The minimum time between two requests, in nanoseconds.
    private static let requestPause: UInt64 = 100_000_000
    /// The time limit for a response, in nanoseconds, after which the helper is terminated.
    private static let timeout: UInt64 = 5_000_000_000
    /// The time between a failure and the start of the next helper, in nanoseconds.
    private static let pause: UInt64 = 10_000_000_000

    init(command: [String], paths: [String], processorLimit: Double) {
        self.command = command
        self.paths = paths.map { Array($0.utf8) }
        self.processorLimit = processorLimit
        credit = processorLimit * Self.creditSeconds * 1e9
    }

    /// The process ID of the helper, or 0 while no helper is running.
    var process: Int32 { helper?.process ?? 0 }

    /// The total processor time of all helpers, in nanoseconds.
    var processorNanoseconds: UInt64 { endedNanoseconds &+ currentNanoseconds }

    /// Processes a response if one has arrived, and sends the next request if one is due.
    ///
    /// - Parameters:
    ///   - now: The time on the monotonic clock.
    ///   - hasLog: A closure that returns whether a database has a log to read.
    mutating func proceed(at now: UInt64, hasLog: (Int) -> Bool) {
        do throws(HelperProcess.Failure) {
            if let pending {
                guard let helper, let response = try helper.poll() else {
                    if now > pending.sent &+ Self.timeout { throw .timedOut }
                    return
                }
                try take(response)
            }
            addCredit(at: now)
            guard now >= nextRequestTime, credit > 0, let number = nextDatabase(hasLog) else {
                return
            }
            if helper == nil {
                guard now >= retryTime else { return }
                try start()
            }
            try helper?.send(.tables(slot: UInt8(number)))
            pending = (number, now)
            nextRequestTime = now &+ Self.requestPause
        } catch { fail(at: now) }
    }

    private mutating func nextDatabase(_ hasLog: (Int) -> Bool) -> Int? {
        for _ in paths.indices {
            lastDatabase = (lastDatabase + 1) % paths.count
            if hasLog(lastDatabase) { return lastDatabase }
        }
        return nil
    }

    private mutating func addCredit(at now: UInt64) {
        let elapsed = Double(now - min(now, creditUpdateTime))
        creditUpdateTime = now
        credit = min(credit + elapsed * processorLimit, processorLimit * Self.creditSeconds * 1e9)
    }

    /// Waits until the helper has read all commits made so far or has used all its credit.
    mutating func complete(at now: UInt64, hasLog: (Int) -> Bool) {
        do throws(HelperProcess.Failure) {
            guard let helper else { return }
            if pending != nil { try take(helper.receive()) }
            addCredit(at: now)
            for number in paths.indices where hasLog(number) {
                repeat {
                    pending = (number, now)
                    try take(helper.response(to: .tables(slot: UInt8(number))))
                } while credit > 0 && counts[number]?.isBehind == true
            }
        } catch { fail(at: now) }
    }

    private mutating func take(_ response: [UInt8]) throws(HelperProcess.Failure) {
        guard let pending, var found = TableCounts(response) else { throw .malformed }
        let cost = Double(
            found.helperNanoseconds &- min(currentNanoseconds, found.helperNanoseconds)
        )
        credit = max(credit - cost, -Self.largestDebt)
        currentNanoseconds = found.helperNanoseconds
        if let before = earlierCounts[pending.number] { found.add(before) }
        counts[pending.number] = found
        self.pending = nil
    }

    /// Adds a database in the next slot.
    ///
    /// Adding a database terminates a running helper. The next helper starts on demand and receives
    /// all databases.
    mutating func add(path: String) {
        paths.append(Array(path.utf8))
        guard helper != nil else { return }
        helper = nil
        pending = nil
        endedNanoseconds &+= currentNanoseconds
        currentNanoseconds = 0
        earlierCounts = counts
    }

    private mutating func start() throws(HelperProcess.Failure) {
        let new = try HelperProcess(command)
        for (slot, path) in paths.enumerated() {
            _ = try new.response(to: .watch(slot: UInt8(slot), path: path))
        }
        helper = new
    }

    private mutating func fail(at now: UInt64) {
        helper = nil
        pending = nil
        endedNanoseconds &+= currentNanoseconds
        currentNanoseconds = 0
        earlierCounts = counts
        retryTime = now &+ Self.pause
    }
}
#endif
