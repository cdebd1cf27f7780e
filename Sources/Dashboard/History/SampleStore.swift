import Telemetry

/// The newest samples, for somebody who goes back in time: so many at most, and so many bytes.
///
/// What nobody looks at again is left out (events are kept elsewhere), of a long queue the first
/// waiters are kept, and of equal texts one.
struct SampleStore: Sendable {
    /// The bytes that all samples together may take.
    static let budget = 32 << 20
    /// Of each queue, the waiters that are kept: those who have waited longest.
    static let waiters = 100
    /// How long an SQL text is kept, in bytes of UTF-8.
    static let textLength = 2_000

    private var samples: BoundedStore<Sample>
    private var texts: [String: String] = [:]

    /// Creates an empty store for so many samples.
    init(capacity: Int) {
        samples = BoundedStore(capacity: capacity, budget: Self.budget) { Self.size(of: $0) }
    }

    /// About how many bytes the samples occupy.
    var bytes: Int { samples.bytes }

    /// The place of the oldest sample that was not dropped for the budget.
    var firstKept: Int { samples.firstKept }

    /// A sample by its place, the oldest at 0; nil for one that was dropped.
    subscript(place: Int) -> Sample? { samples[place] }

    /// Takes a sample in, and drops the oldest ones that there is no room for.
    mutating func append(_ sample: Sample) { samples.append(trimmed(sample)) }

    /// Forgets everything.
    mutating func removeAll() {
        samples.removeAll()
        texts = [:]
    }

    private mutating func trimmed(_ sample: Sample) -> Sample {
        var sample = sample
        sample.events = []
        sample.database.splits = nil
        Self.cut(&sample.database.waitingReaders)
        Self.cut(&sample.database.waitingWriters)
        for index in sample.database.connections.indices {
            guard let sql = sample.database.connections[index].sql else { continue }
            sample.database.connections[index].sql = shared(sql)
        }
        return sample
    }

    private static func cut(_ queue: inout [WaiterStatus]) {
        guard queue.count > waiters else { return }
        queue = Array(queue.prefix(waiters))
    }

    /// One copy of a text, whoever brings it.
    private mutating func shared(_ text: String) -> String {
        if let known = texts[text] { return known }
        // Texts with values in them never come again.
        if texts.count >= 256 { texts.removeAll(keepingCapacity: true) }
        var kept = text
        if text.utf8.count > Self.textLength {
            kept = String(decoding: text.utf8.prefix(Self.textLength), as: UTF8.self) + "…"
        }
        texts[text] = kept
        return kept
    }

    /// About what a sample takes, in bytes; a text counts wherever it is.
    private static func size(of sample: Sample) -> Int {
        let database = sample.database
        let texts = database.connections.reduce(0) { $0 + ($1.sql?.utf8.count ?? 0) }
        return MemoryLayout<Sample>.stride + texts
            + database.connections.count * MemoryLayout<ConnectionStatus>.stride
            + (database.waitingReaders.count + database.waitingWriters.count)
            * MemoryLayout<WaiterStatus>.stride
            + database.snapshots.count * MemoryLayout<SnapshotStatus>.stride
            + sample.clients.count * MemoryLayout<ClientStatus>.stride
    }
}
