/// A page of the kernel's trace buffer, as `trace_pipe_raw` returns it
/// (`include/linux/ring_buffer.h`, `kernel/trace/ring_buffer.c`).
enum RingBufferPage {
    struct Content {
        var records: [EventRecord] = []
        /// Whether events were lost before the page.
        var isAfterLoss = false
        /// Whether the page could not be parsed to its end.
        var isMalformed = false
    }

    /// The number of bytes before the first record: the time and the length of the content.
    private static let header = 16
    private static let missedEvents: UInt64 = 1 << 31
    private static let missedStored: UInt64 = 1 << 30

    /// Parses a page, which may be incomplete.
    static func parse(_ page: [UInt8]) -> Content {
        var content = Content()
        let field = LittleEndian(page)
        guard var time = field.u64(0), let commit = field.u64(8) else {
            content.isMalformed = true
            return content
        }
        content.isAfterLoss = commit & Self.missedEvents != 0
        let length = Int(commit & 0xfff_ffff & ~(Self.missedStored | Self.missedEvents))
        let end = min(Self.header + length, page.count)
        content.isMalformed = Self.header + length > page.count
        var offset = Self.header
        while offset < end {
            guard let word = field.u32(offset) else { break }
            let type = Int(word & 0x1f)
            let delta = UInt64(word >> 5)
            offset += 4
            var size: Int
            switch type {
            case 29:
                // Padding: skip to the end of the page, or over a discarded record.
                guard delta > 0, let skipped = field.u32(offset), skipped >= 4 else {
                    return content
                }
                time &+= delta
                offset += Int(skipped)
                continue
            case 30, 31:
                guard let rest = field.u32(offset) else {
                    content.isMalformed = true
                    return content
                }
                let extended = delta | UInt64(rest) << 27
                // Type 30 extends the time difference. Type 31 is a time without its upper five
                // bits, which come from the page.
                time = type == 30 ? time &+ extended : extended | time & (0x1f << 59)
                offset += 4
                continue
            case 0:
                // The length includes the four bytes of the length itself.
                guard let recordLength = field.u32(offset), recordLength >= 4 else {
                    content.isMalformed = true
                    return content
                }
                size = Int(recordLength) - 4
                offset += 4
            default:
                size = type * 4
            }
            time &+= delta
            guard size <= end - offset else {
                content.isMalformed = true
                return content
            }
            content.records.append(
                EventRecord(time: time, bytes: LittleEndian(Array(page[offset..<(offset + size)])))
            )
            offset += (size + 3) & ~3
        }
        return content
    }
}
