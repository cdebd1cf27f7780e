#if os(Linux)
import CTrace
import Glibc

/// The ring buffer in which the programs in the kernel store their records
/// (Documentation/bpf/ringbuf.rst in the kernel's sources).
final class RecordRing {
    private let map: KernelMap
    private let size: Int
    private let consumer: UnsafeMutableRawPointer
    private let producer: UnsafeMutableRawPointer

    private static let page = sysconf(Int32(_SC_PAGESIZE))
    /// The size of the head of each record, in bytes.
    private static let head = 8

    init(_ map: KernelMap, size: Int) throws(TraceError) {
        self.map = map
        self.size = size
        let descriptor = map.object.descriptor
        let consumer = mmap(nil, Self.page, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        // The kernel maps the data twice, so that every record is contiguous.
        let producer = mmap(
            nil,
            Self.page + 2 * size,
            PROT_READ,
            MAP_SHARED,
            descriptor,
            off_t(Self.page)
        )
        guard let consumer, let producer, consumer != MAP_FAILED, producer != MAP_FAILED else {
            throw TraceError(.probe, "the ring buffer cannot be mapped")
        }
        self.consumer = consumer
        self.producer = producer
    }

    deinit {
        munmap(consumer, Self.page)
        munmap(producer, Self.page + 2 * size)
    }

    /// The share of the buffer that is in use, from 0 to 1.
    var fill: Double {
        Double(poolgauge_load64(producer) &- poolgauge_load64(consumer)) / Double(size)
    }

    /// Passes the records that are complete to a closure.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes to read.
    ///   - use: The closure.
    /// - Returns: Whether more records are available.
    func read(limit: Int, _ use: (UnsafeRawBufferPointer) -> Void) -> Bool {
        let start = poolgauge_load64(consumer)
        let end = poolgauge_load64(producer)
        let data = UnsafeRawBufferPointer(start: producer + Self.page, count: 2 * size)
        let count = min(Int(clamping: end &- start), size)
        let read = Self.read(
            data,
            from: Int(start % UInt64(size)),
            count: min(count, limit),
            use
        )
        // Without a complete record, the same records are read again later.
        poolgauge_store64(consumer, start &+ UInt64(read))
        return read > 0 && read < count
    }

    /// Passes the complete records in a range of bytes to a closure.
    ///
    /// A record starts with its length, whose highest bits state that it is incomplete or
    /// discarded.
    ///
    /// - Parameters:
    ///   - data: The buffer, twice.
    ///   - start: The offset of the first record.
    ///   - count: The number of bytes to read.
    ///   - use: The closure.
    /// - Returns: The number of bytes after which the first incomplete record starts.
    static func read(
        _ data: UnsafeRawBufferPointer,
        from start: Int,
        count: Int,
        _ use: (UnsafeRawBufferPointer) -> Void
    ) -> Int {
        var offset = 0
        while offset < count, let base = data.baseAddress, start + offset + head <= data.count {
            let word = poolgauge_load32(base + start + offset)
            guard word & 0x8000_0000 == 0 else { break }
            let length = Int(word & 0x3fff_ffff)
            let body = start + offset + head
            // The kernel writes the lengths, so a length beyond the buffer means that the position
            // is wrong. Skip everything.
            guard body + length <= data.count else { return count }
            if word & 0x4000_0000 == 0 {
                use(UnsafeRawBufferPointer(rebasing: data[body..<(body + length)]))
            }
            offset += (head + length + 7) / 8 * 8
        }
        return offset
    }
}
#endif
