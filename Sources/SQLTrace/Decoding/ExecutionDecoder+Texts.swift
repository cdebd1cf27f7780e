extension ExecutionDecoder {
    /// Reads the texts of new statements from memory, unless the batch finalizes them.
    ///
    /// If this method reads memory, read the events again afterward, and pass them to
    /// ``decode(_:followedBy:)``.
    ///
    /// - Parameters:
    ///   - events: The events to decode next.
    ///   - clock: A closure that returns the time on the events' clock, in nanoseconds.
    /// - Returns: Whether memory was read.
    @discardableResult
    mutating func prepare(_ events: [TraceEvent], at clock: () -> UInt64 = { .max }) -> Bool {
        for process in processes.keys { processes[process]?.connectionsChecked = [] }
        var texts = BatchTexts()
        var threads: [Int32: Int32] = [:]
        var keys: [(index: Int, key: StatementKey, end: TraceEvent.StatementEnd)] = []
        // The index of the last event at which each process starts or executes a new program.
        var starts: [Int32: Int] = [:]
        for (index, event) in events.enumerated() {
            texts.files.add(event, at: index) { threads[$0] ?? process(of: $0) }
            switch event.kind {
            case .newThread(let thread, let isProcess):
                threads[thread] =
                    isProcess ? thread : threads[event.thread] ?? process(of: event.thread)
                if isProcess { starts[thread] = index }
            case .newProgram:
                starts[threads[event.thread] ?? process(of: event.thread)] = index
            case .end(let end) where end.statement != 0 && end.connection != 0:
                let process = threads[event.thread] ?? process(of: event.thread)
                let key = StatementKey(process: process, statement: end.statement, sql: end.sql)
                if end.source == .finalize { texts.addFinal(end.text, of: key, at: index) }
                if end.source == .reset, end.programCounter >= 0 { keys.append((index, key, end)) }
            default: break
            }
        }
        texts.threads = threads
        for process in starts.keys { memory.forget(process) }
        for (index, key, end) in keys {
            if let start = starts[key.process] {
                // The memory of the previous program no longer exists.
                guard index > start else { continue }
            } else if let known = processes[key.process]?.statements[key.statement],
                known.sql == key.sql, known.text != nil, !texts.isFinalized(key, from: 0)
            {
                continue
            }
            guard !texts.isFinalized(key, from: index), !texts.isRead(key),
                mayBeWatched(end, key.process, texts.files, at: index, starts[key.process] != nil)
            else { continue }
            texts.addRead(text(of: end, key.process), of: key)
        }
        if texts.readsMemory { texts.finishReading(at: clock()) }
        self.texts = texts
        return texts.readsMemory
    }

    /// Returns whether a statement may belong to a watched database.
    ///
    /// The text of a statement on an unwatched database is not needed. If the file is unknown,
    /// later events may contain it.
    private mutating func mayBeWatched(
        _ end: TraceEvent.StatementEnd,
        _ process: Int32,
        _ files: BatchFiles,
        at index: Int,
        _ isNew: Bool
    ) -> Bool {
        // The state of a new process is created when its first event is decoded.
        guard !isNew else { return true }
        var traced = processes[process] ?? TracedProcess(isNew: false)
        let path = files.path(of: end.connection, process, from: index)
        let file = file(of: end.connection, library: end.library, process, &traced, path)
        processes[process] = traced
        return file?.match != .other && file?.match != .unknown
    }

    /// Reads the text from memory, or returns `nil` if the statement's text has changed.
    private func text(of end: TraceEvent.StatementEnd, _ process: Int32) -> String? {
        guard let layout = layouts[end.library] else { return nil }
        let address = end.statement &+ UInt64(layout.sql)
        guard memory.pointer(ofProcess: process, at: address) == end.sql,
            let text = memory.text(ofProcess: process, at: end.sql, limit: Self.textLimit),
            memory.pointer(ofProcess: process, at: address) == end.sql
        else { return nil }
        return text
    }
}
