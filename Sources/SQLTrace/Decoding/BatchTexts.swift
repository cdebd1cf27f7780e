/// A statement at an address in a process, with the address of its text.
struct StatementKey: Hashable {
    var process: Int32
    var statement: UInt64
    var sql: UInt64
}

/// The texts of statements that a batch of events executes for the first time.
///
/// A text comes from the event that finalizes the statement, or from the process's memory. A
/// program may finalize a statement and prepare a different one at the same address before the
/// memory is read. The events are therefore read again after the memory. They then include any call
/// that finalized the statement in the meantime.
struct BatchTexts {
    /// The texts of finalized statements, with the batch index of the finalizing event.
    private var finalTexts: [StatementKey: [(index: Int, text: String?)]] = [:]
    /// The texts read from memory, or `nil` if unreadable.
    private var memoryTexts: [StatementKey: String?] = [:]
    /// The database files in the batch.
    var files = BatchFiles()
    /// The processes of the threads that start in the batch.
    var threads: [Int32: Int32] = [:]
    /// The time after the last read of memory.
    private var readTime: UInt64 = .max

    var readsMemory: Bool { !memoryTexts.isEmpty }

    mutating func addFinal(_ text: String?, of key: StatementKey, at index: Int) {
        finalTexts[key, default: []].append((index, text))
    }

    mutating func addRead(_ text: String?, of key: StatementKey) { memoryTexts[key] = .some(text) }

    func isRead(_ key: StatementKey) -> Bool { memoryTexts[key] != nil }

    mutating func finishReading(at time: UInt64) { readTime = time }

    /// Replaces texts read from memory if events after the batch show that they are wrong.
    mutating func addFinal(_ later: [TraceEvent], process: (Int32) -> Int32) {
        guard readsMemory else { return }
        var replaced: Set<StatementKey> = []
        for event in later where event.time <= readTime {
            guard case .end(let end) = event.kind, end.source == .finalize else { continue }
            let key = StatementKey(
                process: threads[event.thread] ?? process(event.thread),
                statement: end.statement,
                sql: end.sql
            )
            guard memoryTexts[key] != nil, replaced.insert(key).inserted else { continue }
            memoryTexts[key] = .some(end.text)
        }
    }

    /// Discards the texts read from memory, because the events that verify them were lost.
    mutating func discardMemoryTexts() {
        for key in memoryTexts.keys { memoryTexts[key] = .some(nil) }
    }

    /// Returns whether the batch finalizes a statement at or after an index.
    func isFinalized(_ key: StatementKey, from index: Int) -> Bool {
        (finalTexts[key]?.last?.index ?? -1) >= index
    }

    /// Returns the text of a statement that runs at an index, or `nil` if unknown.
    func text(of key: StatementKey, from index: Int) -> String? {
        guard let texts = finalTexts[key], isFinalized(key, from: index) else {
            return memoryTexts[key] ?? nil
        }
        // Use a binary search, because a loop may prepare thousands of statements at one address.
        var lower = 0
        var upper = texts.count - 1
        while lower < upper {
            let middle = (lower + upper) / 2
            if texts[middle].index >= index { upper = middle } else { lower = middle + 1 }
        }
        return texts[lower].text
    }
}
