import Scenarios
import Telemetry

/// A ledger that matches the waits of slow accesses with the clients that held the resource.
///
/// Only the sampling thread uses the ledger. The ledger's memory does not grow during the run.
struct BlameLedger {
    struct Entry {
        var access: SlowAccesses.Access
        var operation: String
        /// The hold time of each client, in nanoseconds, summed over all connections.
        var held: [Int: UInt64]
    }

    /// The maximum number of slow accesses kept per client.
    static let limit = 256
    /// The maximum number of slow accesses listed in a result.
    static let listedLimit = 5
    /// The maximum number of slow accesses kept per client and recent second.
    static let recentLimit = 32

    private struct Client {
        let name: String
        let resource: AccessResource?
        var timeline: HoldTimeline
        var longest: UInt64 = 0
        var entries: [Entry] = []
        /// The slow accesses of each recent second, for a live view.
        var recent: [[Entry]] = []
        /// The response time that an access must exceed to be one of the slowest.
        var floor: UInt64 = 0

        init(_ plan: ClientPlan, arm: Arm, origin: UInt64) {
            name = plan.name.name
            var resource: AccessResource?
            if let access = plan.access { resource = .needed(for: access, in: arm) }
            self.resource = resource
            timeline = HoldTimeline(at: origin)
        }
    }

    private var clients: [Client]
    private let origin: UInt64
    /// The time up to which holds have been added.
    private var latest: UInt64

    init(_ plans: [ClientPlan], arm: Arm, origin: UInt64) {
        self.origin = origin
        latest = origin
        clients = []
        for plan in plans {
            clients.append(Client(plan, arm: arm, origin: origin))
        }
    }

    /// Extends the timelines to `now` before holds are added.
    mutating func advance(to now: UInt64) {
        for index in clients.indices { clients[index].timeline.advance(to: now) }
    }

    /// Adds a worker's holds since the previous call.
    ///
    /// `openSince` is the start of the hold that has not ended, if any. If `isMeasured` is `true`,
    /// the method updates the longest hold.
    mutating func add(
        _ holds: HoldLog,
        openSince: UInt64?,
        of client: Int,
        at now: UInt64,
        isMeasured: Bool
    ) {
        for entry in holds.entries { add(entry, of: client) }
        var longest = holds.longest
        if let openSince {
            add(.init(from: openSince, until: now, held: now - min(now, openSince)), of: client)
            longest = max(longest, now - min(now, openSince))
        }
        if isMeasured { clients[client].longest = max(clients[client].longest, longest) }
    }

    private mutating func add(_ entry: HoldLog.Entry, of client: Int) {
        // The previous call added an open hold up to `latest`, so add only the rest.
        let from = max(entry.from, latest)
        guard from < entry.until else { return }
        let isWhole = from == entry.from
        clients[client].timeline.add(
            from: from,
            until: entry.until,
            held: isWhole ? entry.held : min(entry.held, entry.until - from)
        )
    }

    /// Records that all holds up to `now` have been added.
    mutating func close(at now: UInt64) {
        latest = now
    }

    /// Matches a client's slow accesses with the holds.
    ///
    /// Call this method after ``close(at:)``.
    mutating func join(
        _ slow: SlowAccesses,
        of client: Int,
        operation: (Int) -> String
    ) {
        for access in slow.accesses {
            guard access.response > clients[client].floor else { continue }
            let entry = Entry(
                access: access,
                operation: operation(access.cell),
                held: holders(of: clients[client].resource, during: access)
            )
            clients[client].entries.append(entry)
        }
        // Allow twice the limit to keep sorting rare.
        if clients[client].entries.count > 2 * Self.limit { shorten(client) }
    }

    /// Matches a client's slow accesses in the last second with the holds, for a live view.
    ///
    /// Call this method once per second, even if there are no slow accesses.
    mutating func joinRecent(
        _ slow: [SlowAccesses],
        of client: Int,
        operation: (Int) -> String
    ) {
        let slowest = slow.flatMap(\.accesses).sorted { $0.response > $1.response }
            .prefix(Self.recentLimit)
        clients[client].recent.append(
            slowest.map { access in
                Entry(
                    access: access,
                    operation: operation(access.cell),
                    held: holders(of: clients[client].resource, during: access)
                )
            }
        )
        let surplus = clients[client].recent.count - RecentLatencies.length
        if surplus > 0 { clients[client].recent.removeFirst(surplus) }
    }

    func entryCount(of client: Int) -> Int { clients[client].entries.count }

    private mutating func shorten(_ client: Int) {
        clients[client].entries.sort { $0.access.response > $1.access.response }
        clients[client].entries.removeLast(max(0, clients[client].entries.count - Self.limit))
        clients[client].floor = clients[client].entries.last?.access.response ?? 0
    }

    private func holders(
        of resource: AccessResource?,
        during access: SlowAccesses.Access
    ) -> [Int: UInt64] {
        let timestamps = access.timestamps
        guard let resource, timestamps.entry > timestamps.intended else { return [:] }
        var held: [Int: UInt64] = [:]
        for index in clients.indices where clients[index].resource == resource {
            let time = clients[index].timeline.held(
                from: timestamps.intended,
                until: timestamps.entry
            )
            if time > 0 { held[index] = time }
        }
        return held
    }

    // MARK: Result

    /// Returns the causes of a client's slow accesses, or `nil` if no accesses were timed.
    func result(of client: Int, response: LatencyHistogram, readers: Int?) -> BlameResult? {
        result(clients[client].entries, of: client, response: response, readers: readers)
    }

    func recentSplit(of client: Int, response: LatencyHistogram, readers: Int?) -> SlowSplit? {
        let entries = clients[client].recent.flatMap(\.self)
        return result(entries, of: client, response: response, readers: readers).map(\.split)
    }

    private func result(
        _ entries: [Entry],
        of client: Int,
        response: LatencyHistogram,
        readers: Int?
    ) -> BlameResult? {
        let (beyond, from) = Self.slowThreshold(of: response)
        let sorted = entries.sorted { $0.access.response > $1.access.response }
            .prefix(Self.limit)
        // Allow a difference of 1%, because a histogram returns the middle of a bucket.
        let slow = sorted.prefix { Double($0.access.response) >= Double(from) * 0.99 }
        let chosen = slow.isEmpty ? sorted.prefix(1) : slow
        guard !chosen.isEmpty else { return nil }
        let count = UInt64(chosen.count)
        func mean(_ part: (WorkerRecorder.Timestamps) -> UInt64) -> UInt64 {
            chosen.reduce(0) { $0 + part($1.access.timestamps) } / count
        }
        let queued = mean { $0.start - $0.intended }
        let waited = mean { $0.entry - $0.start }
        let service = mean { $0.end - $0.entry }
        let resource = clients[client].resource
        let capacity = resource?.capacity(readers: readers)
        let bounded = chosen.map { Self.bounded($0, by: capacity) }
        return BlameResult(
            beyond: beyond,
            from: from,
            accesses: chosen.count,
            response: queued + waited + service,
            queued: queued,
            waited: waited,
            service: service,
            resource: resource,
            capacity: capacity,
            holders: holders(of: bounded),
            slowest: bounded.prefix(Self.listedLimit).map(describe)
        )
    }

    /// Limits an entry's total hold time to the capacity of its connections.
    ///
    /// A worker records the end of an access after releasing the connection. Another access may
    /// already hold the connection by then, so the recorded holds can overlap. This method scales
    /// all holds by the same factor.
    private static func bounded(_ entry: Entry, by capacity: Int?) -> Entry {
        let time = entry.access.timestamps.entry - entry.access.timestamps.intended
        let sum = entry.held.values.reduce(0, +)
        guard let capacity, sum > 0 else { return entry }
        let maximum = Double(time) * Double(capacity)
        guard Double(sum) > maximum else { return entry }
        var entry = entry
        entry.held = entry.held.mapValues { UInt64(Double($0) * maximum / Double(sum)) }
        return entry
    }

    private func holders(of entries: [Entry]) -> [BlameResult.Holder] {
        var held: [Int: UInt64] = [:]
        var time: UInt64 = 0
        for entry in entries {
            time += entry.access.timestamps.entry - entry.access.timestamps.intended
            held.merge(entry.held, uniquingKeysWith: +)
        }
        guard time > 0 else { return [] }
        return held.map { index, sum in
            BlameResult.Holder(
                client: clients[index].name,
                held: Self.share(Double(sum) / Double(time)),
                longest: clients[index].longest
            )
        }
        .filter { $0.held >= 0.005 }
        .sorted { ($0.held, $1.client) > ($1.held, $0.client) }
    }

    /// Rounds a share down to three digits so that the sum of the shares never exceeds the total.
    private static func share(_ value: Double) -> Double { (value * 1_000).rounded(.down) / 1_000 }

    private func describe(_ entry: Entry) -> BlameResult.Access {
        let timestamps = entry.access.timestamps
        let time = Double(timestamps.entry - timestamps.intended)
        var held: [String: Double] = [:]
        for (index, sum) in entry.held where time > 0 {
            held[clients[index].name] = Self.share(Double(sum) / time)
        }
        return BlameResult.Access(
            time: (Double(timestamps.intended - min(timestamps.intended, origin)) / 1e9)
                .rounded(toDigits: 6),
            operation: entry.operation,
            response: entry.access.response,
            queued: timestamps.start - timestamps.intended,
            waited: timestamps.entry - timestamps.start,
            service: timestamps.end - timestamps.entry,
            held: held
        )
    }

    /// Returns the highest of the 99th, 95th, and 90th percentiles that has enough samples, or
    /// the maximum.
    private static func slowThreshold(
        of response: LatencyHistogram
    ) -> (name: String, value: UInt64) {
        for percentile in [99.0, 95, 90] {
            if let value = response.value(at: percentile) { return ("p\(Int(percentile))", value) }
        }
        return ("max", response.maximum)
    }
}

extension BlameResult {
    fileprivate var split: SlowSplit {
        SlowSplit(
            beyond: beyond,
            accesses: accesses,
            queued: queued,
            waited: waited,
            service: service,
            resource: resource?.rawValue,
            capacity: capacity,
            holders: holders.map { .init(client: $0.client, held: $0.held) }
        )
    }
}
