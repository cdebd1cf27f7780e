import Telemetry

/// A store of the newest samples, limited in number and total size.
///
/// The dashboard uses the store to go back in time. The store omits events, which are recorded
/// elsewhere. For each long queue, it keeps only the waiters with the longest waits. Equal strings
/// are stored once.
struct SampleStore: Sendable {
    /// The limit on the total size, in bytes.
    static let budget = 32 << 20
    /// The maximum number of stored waiters in each queue.
    static let maximumWaiterCount = 100
    /// The maximum length of SQL text, in UTF-8 bytes.
    static let maximumTextLength = 2_000

    private var samples: BoundedStore<Sample>
    private var texts: [String: String] = [:]

    init(capacity: Int) {
        samples = BoundedStore(capacity: capacity, budget: Self.budget) { Self.size(of: $0) }
    }

    /// The approximate total size, in bytes.
    var bytes: Int { samples.bytes }

    /// The index of the oldest stored sample.
    var firstStoredIndex: Int { samples.firstStoredIndex }

    /// The sample at an index, or `nil` if the sample was removed to limit the total size.
    ///
    /// The index also counts samples that were removed for this reason.
    subscript(position: Int) -> Sample? { samples[position] }

    mutating func append(_ sample: Sample) { samples.append(trimmed(sample)) }

    mutating func removeAll() {
        samples.removeAll()
        texts = [:]
    }

    private mutating func trimmed(_ sample: Sample) -> Sample {
        var sample = sample
        sample.events = []
        sample.database.splits = nil
        Self.truncate(&sample.database.waitingReaders)
        Self.truncate(&sample.database.waitingWriters)
        for index in sample.database.connections.indices {
            guard let sql = sample.database.connections[index].sql else { continue }
            sample.database.connections[index].sql = shared(sql)
        }
        return sample
    }

    private static func truncate(_ queue: inout [WaiterStatus]) {
        guard queue.count > maximumWaiterCount else { return }
        queue = Array(queue.prefix(maximumWaiterCount))
    }

    private mutating func shared(_ text: String) -> String {
        if let known = texts[text] { return known }
        // Limit the size of the cache, because SQL with literals rarely repeats.
        if texts.count >= 256 { texts.removeAll(keepingCapacity: true) }
        var storedText = text
        if text.utf8.count > Self.maximumTextLength {
            storedText =
                String(decoding: text.utf8.prefix(Self.maximumTextLength), as: UTF8.self) + "…"
        }
        texts[text] = storedText
        return storedText
    }

    /// Returns the approximate size of a sample, in bytes, counting each shared string at its full
    /// size.
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

/// A store of the newest elements of a series, limited in number and total size.
struct BoundedStore<Element: Sendable>: Sendable {
    /// The limit on the total size, in bytes.
    var budget: Int {
        didSet { dropOldest() }
    }
    /// A closure that returns the approximate size of an element, in bytes.
    private let size: @Sendable (Element) -> Int
    private var elements: RingBuffer<Element?>
    /// The approximate total size, in bytes.
    private(set) var bytes = 0
    /// The index of the oldest stored element.
    private(set) var firstStoredIndex = 0

    init(capacity: Int, budget: Int, size: @escaping @Sendable (Element) -> Int) {
        self.budget = budget
        self.size = size
        elements = RingBuffer(capacity: capacity)
    }

    /// The element at an index, or `nil` if the element was removed to limit the total size.
    ///
    /// The index also counts elements that were removed for this reason.
    subscript(index: Int) -> Element? {
        elements.count > index && index >= 0 ? elements[index] : nil
    }

    /// Adds an element, and removes the oldest elements if the store exceeds a limit.
    mutating func append(_ element: Element) {
        if elements.count == elements.capacity {
            if let oldest = elements[0] { bytes -= size(oldest) }
            firstStoredIndex = max(0, firstStoredIndex - 1)
        }
        elements.append(element)
        bytes += size(element)
        dropOldest()
    }

    private mutating func dropOldest() {
        while bytes > budget, firstStoredIndex < elements.count - 1 {
            if let oldest = elements[firstStoredIndex] { bytes -= size(oldest) }
            elements[firstStoredIndex] = nil
            firstStoredIndex += 1
        }
    }

    mutating func removeAll() {
        elements.removeAll()
        bytes = 0
        firstStoredIndex = 0
    }
}

/// A buffer of the newest elements of a series.
///
/// In a full buffer, each new element replaces the oldest element.
package struct RingBuffer<Element: Sendable>: Sendable {
    let capacity: Int
    private var storage: [Element] = []
    private var start = 0

    /// Creates an empty buffer with a capacity of at least 1.
    package init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { storage.count }

    var last: Element? { storage.isEmpty ? nil : self[count - 1] }

    /// The element at an index, counted from the oldest.
    subscript(index: Int) -> Element {
        get { storage[storageIndex(index)] }
        set { storage[storageIndex(index)] = newValue }
    }

    private func storageIndex(_ index: Int) -> Int {
        let position = start + index
        return position < storage.count ? position : position - storage.count
    }

    /// The elements, oldest first.
    package var elements: [Element] { Array(storage[start...] + storage[..<start]) }

    package mutating func append(_ element: Element) {
        if storage.count < capacity {
            storage.append(element)
        } else {
            storage[start] = element
            start = start + 1 == capacity ? 0 : start + 1
        }
    }

    package mutating func removeAll() {
        storage.removeAll(keepingCapacity: true)
        start = 0
    }
}
