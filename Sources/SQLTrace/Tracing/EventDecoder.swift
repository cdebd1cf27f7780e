struct EventDecoder {
    enum Meaning: Sendable, Equatable {
        case reset
        case finalize
        case exec
        case execReturn
        case step
        case stepReturn
        case close
        case newThread
        case newProgram
        case exit
    }

    private struct Source {
        var meaning: Meaning
        var library: Int
        var format: EventFormat
        var values: StatementLayout.ValueLayout?
    }

    private var sources: [UInt16: Source] = [:]

    mutating func add(
        _ meaning: Meaning,
        library: Int = 0,
        _ format: EventFormat,
        values: StatementLayout.ValueLayout? = nil
    ) {
        sources[format.id] = Source(
            meaning: meaning,
            library: library,
            format: format,
            values: values
        )
    }

    /// Returns the event of a record, or `nil` if its format is unknown.
    func event(_ record: EventRecord) -> TraceEvent? {
        guard let source = sources[record.id] else { return nil }
        func number(_ name: String) -> UInt64 {
            record.unsigned(source.format.fields[name]) ?? 0
        }
        func signed(_ name: String) -> Int32 {
            Int32(truncatingIfNeeded: Int64(bitPattern: number(name)))
        }
        let text = { (name: String) in record.text(source.format.fields[name]) }
        let kind: TraceEvent.Kind
        switch source.meaning {
        case .reset, .finalize:
            kind = .end(
                TraceEvent.StatementEnd(
                    source: source.meaning == .reset ? .reset : .finalize,
                    library: source.library,
                    statement: number("st"),
                    connection: number("db"),
                    sql: number("sql"),
                    programCounter: signed("pc"),
                    result: signed("rc"),
                    instructionCount: UInt32(truncatingIfNeeded: number("vm")),
                    isAutocommit: number("ac") != 0,
                    busyCalls: source.format.fields["nb"] == nil ? nil : signed("nb"),
                    busyTimeout: source.format.fields["bt"] == nil ? nil : signed("bt"),
                    text: text("text"),
                    file: text("file"),
                    values: source.values == nil ? [] : values(record, source.format)
                )
            )
        case .exec:
            kind = .execStart(
                TraceEvent.ExecStart(
                    library: source.library,
                    connection: number("db"),
                    sql: number("sql"),
                    isAutocommit: number("ac") != 0,
                    text: text("text"),
                    file: text("file")
                )
            )
        case .execReturn: kind = .execEnd(result: signed("rc"))
        case .step:
            kind = .stepStart(
                TraceEvent.StepStart(
                    library: source.library,
                    statement: number("st"),
                    programCounter: signed("pc")
                )
            )
        case .stepReturn: kind = .stepEnd(result: signed("rc"))
        case .close: kind = .close(connection: number("db"))
        case .newThread:
            // 0x1_0000 is CLONE_THREAD in sched.h.
            kind = .newThread(signed("pid"), isProcess: number("clone_flags") & 0x1_0000 == 0)
        case .newProgram: kind = .newProgram
        case .exit:
            let field = source.format.fields["group_dead"]
            kind = .exit(isProcess: record.unsigned(field).map { $0 != 0 })
        }
        return TraceEvent(time: record.time, thread: record.thread, kind: kind)
    }

    private func values(_ record: EventRecord, _ format: EventFormat) -> [StatementValue] {
        let number = { (name: String) in record.unsigned(format.fields[name]) ?? 0 }
        let count = min(Int(clamping: number("nv")), ProbeArguments.valueCount)
        return (0..<count).map { index in
            let value = number("v\(index)")
            let flags = number("f\(index)")
            let length = Int(clamping: number("l\(index)"))
            // The flags are MEM_Null, MEM_Str, MEM_Int, MEM_Real, and MEM_Blob in vdbeInt.h.
            if flags & 0x1 != 0 { return .null }
            if flags & 0x4 != 0 { return .integer(Int64(bitPattern: value)) }
            if flags & 0x8 != 0 { return .real(Double(bitPattern: value)) }
            if flags & 0x2 != 0, let field = format.fields["t\(index)"] {
                let end = field.offset + min(length, 8 * ProbeArguments.valueWords)
                guard end <= record.bytes.count else { return .null }
                let text = record.bytes.bytes[field.offset..<end]
                return .text(String(decoding: text, as: UTF8.self))
            }
            return flags & 0x10 != 0 ? .blob(bytes: length) : .null
        }
    }
}
