/// The database files of the connections in a batch of events.
///
/// Only some events contain the file of their connection. A program may close the connection or
/// exit before its memory is read. An event without a file therefore uses the file in a later event
/// of the same connection.
struct BatchFiles {
    private struct Key: Hashable {
        var process: Int32
        /// The number of times that the process executed a new program earlier in the batch.
        var program: Int
        var connection: UInt64
    }

    /// The files of each connection, with the last batch index to which each file applies.
    ///
    /// The path is `nil` up to an index at which the connection is closed.
    private var files: [Key: [(end: Int, path: String?)]] = [:]
    /// The indices in the batch at which each process executes a new program.
    private var programs: [Int32: [Int]] = [:]

    /// Records the file in an event, or the closing of a connection.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - index: The index of the event in the batch.
    ///   - process: A closure that returns the process of a thread.
    mutating func add(_ event: TraceEvent, at index: Int, process: (Int32) -> Int32) {
        switch event.kind {
        case .end(let end):
            guard let file = end.file else { return }
            add(file, of: end.connection, process(event.thread), at: index)
        case .execStart(let start):
            guard let file = start.file else { return }
            add(file, of: start.connection, process(event.thread), at: index)
        case .close(let connection): add(nil, of: connection, process(event.thread), at: index)
        case .newProgram: programs[process(event.thread), default: []].append(index)
        default: break
        }
    }

    private mutating func add(
        _ path: String?,
        of connection: UInt64,
        _ process: Int32,
        at index: Int
    ) {
        let key = key(connection, process, index)
        if let last = files[key]?.last, last.path == path { files[key]?.removeLast() }
        files[key, default: []].append((index, path))
    }

    /// Returns the file of a connection at an index, or `nil` if no later event contains it.
    func path(of connection: UInt64, _ process: Int32, from index: Int) -> String? {
        guard let files = files[key(connection, process, index)] else { return nil }
        // Use a binary search, because a loop may open thousands of connections at one address.
        var lower = 0
        var upper = files.count
        while lower < upper {
            let middle = (lower + upper) / 2
            if files[middle].end >= index { upper = middle } else { lower = middle + 1 }
        }
        return lower < files.count ? files[lower].path : nil
    }

    private func key(_ connection: UInt64, _ process: Int32, _ index: Int) -> Key {
        let program = programs[process]?.count { $0 < index } ?? 0
        return Key(process: process, program: program, connection: connection)
    }
}
