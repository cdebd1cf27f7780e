/// A type that parses the records of a perf buffer (perf_event_open(2)).
///
/// The samples in the buffer contain the thread, the time, and the record of a trace event.
enum PerfRecords {
    struct Content {
        var records: [EventRecord] = []
        var lostCount: UInt64 = 0
        var isMalformed = false
    }

    static func parse(_ bytes: [UInt8]) -> Content {
        var content = Content()
        let field = LittleEndian(bytes)
        var offset = 0
        while offset < bytes.count {
            guard let type = field.u32(offset), let size = field.u16(offset + 6).map(Int.init),
                size >= 8, offset + size <= bytes.count
            else {
                content.isMalformed = true
                return content
            }
            switch type {
            // PERF_RECORD_LOST: the event's ID, then the number of lost samples.
            case 2: content.lostCount &+= field.u64(offset + 16) ?? 0
            // PERF_RECORD_SAMPLE: process and thread, time, length of the record, record.
            case 9:
                if size >= 28, let time = field.u64(offset + 16),
                    let length = field.u32(offset + 24).map(Int.init), length <= size - 28
                {
                    let record = bytes[(offset + 28)..<(offset + 28 + length)]
                    content.records.append(
                        EventRecord(time: time, bytes: LittleEndian(Array(record)))
                    )
                } else {
                    content.isMalformed = true
                }
            default: break
            }
            offset += size
        }
        return content
    }
}
