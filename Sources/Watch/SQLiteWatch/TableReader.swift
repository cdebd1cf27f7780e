#if os(Linux)
import Glibc
import Telemetry

/// An object that reads the frames of a log as they are written, and counts them by table and
/// index.
///
/// The reader runs in a separate helper process, because walking a large database takes longer than
/// the time available for a sample. Each call has a time limit, and the map has a size limit.
final class TableReader {
    private let files: DatabaseFiles
    private var map: PageMap?
    private var isMapComplete = false
    private var mappedAt: UInt64 = 0
    private var schemaCookie: UInt32?
    private var tally = FrameTally()
    private var framesRead: UInt64 = 0
    private var pageSize = 4_096
    private var earlierCounts: [TableCounts.Key: UInt64] = [:]
    /// The number of frames read since the last walk, and the number of unknown frames among them.
    private var sinceWalk: (frames: UInt64, unknown: UInt64) = (0, 0)

    /// The salts that identify the current log, and the number of the last frame read from it.
    private var position: (salts: (UInt32, UInt32), frame: UInt32)?
    /// The number of the last frame of each page in the log.
    private var newest: [UInt32: UInt32] = [:]

    /// The maximum number of log frames in which a walk looks up pages.
    ///
    /// A walk reads all other pages from the database file.
    private static let newestLimit: UInt32 = 200_000
    /// The maximum number of frames to read as one transaction.
    private static let transactionLimit = 8_192
    /// The number of frames to read before checking the log for a reset.
    private static let chunkLength = 256
    /// The time limit of a walk, in nanoseconds.
    private static let walkTime: UInt64 = 1_000_000_000
    /// The minimum time between two walks, in nanoseconds.
    private static let walkPause: UInt64 = 5_000_000_000
    /// The share of unknown frames above which a new walk starts.
    private static let unknownShare = 0.02

    init(path: [UInt8]) { files = DatabaseFiles(path: path) }

    /// Reads the commits since the last call, up to a time limit in nanoseconds.
    func advance(nanoseconds: UInt64) -> TableCounts {
        let sample = files.sample(probesReaders: false)
        let observed = ObservedFiles(sample)
        guard observed.isWAL, let index = observed.index, let header = observed.header else {
            position = nil
            return counts()
        }
        pageSize = index.pageSize ?? header.pageSize
        let usableSize = pageSize - header.reservedBytes
        follow(index)
        if map == nil || needsWalk { walk(index, header: header, usableSize: usableSize) }
        let deadline = monotonicNanoseconds() &+ nanoseconds
        while let position, position.frame < index.frames {
            guard monotonicNanoseconds() < deadline else { return counts(isBehind: true) }
            guard readTransactions(until: index.frames, usableSize: usableSize) else { break }
        }
        return counts()
    }

    /// Sets the position after a reset to the start of the log, and on the first call to its end.
    private func follow(_ index: WALIndexHeader) {
        if let position, position.salts == (index.salt1, index.salt2),
            position.frame <= index.frames
        {
            return
        }
        newest = [:]
        // On the first call, skip the frames that are already in the log.
        let isFirst = position == nil && map == nil
        position = ((index.salt1, index.salt2), isFirst ? index.frames : 0)
        if isFirst { recordNewest(until: min(index.frames, Self.newestLimit), index) }
    }

    private var needsWalk: Bool {
        guard monotonicNanoseconds() &- mappedAt > Self.walkPause else { return false }
        if !isMapComplete, sinceWalk.frames > 0 { return true }
        return schemaCookie == nil
            || Double(sinceWalk.unknown) > Self.unknownShare * Double(max(sinceWalk.frames, 50))
    }

    // MARK: Walk

    private func walk(_ index: WALIndexHeader, header: DatabaseHeader, usableSize: Int) {
        let start = monotonicNanoseconds()
        var limits = PageMap.Limits()
        limits.mayContinue = { monotonicNanoseconds() &- start < Self.walkTime }
        let result = PageMap.walk(pages: index.pages, usableSize: usableSize, limits: limits) {
            number in
            self.page(number, size: self.pageSize)
        }
        mappedAt = monotonicNanoseconds()
        sinceWalk = (0, 0)
        guard let result else { return }
        var map = result.map
        if header.autoVacuum != .none {
            var number = 2
            while number <= Int(index.pages) {
                map.set(.pointerMap, of: UInt32(number))
                number += usableSize / 5 + 1
            }
        }
        storeCounts()
        self.map = map
        isMapComplete = result.isComplete
        schemaCookie = page(1, size: pageSize).flatMap { ByteField($0).big32(40) }
    }

    /// Saves the counts by name, because each map numbers the owners differently.
    private func storeCounts() {
        guard let map else { return }
        for (owner, count) in tally.counts {
            earlierCounts[TableCounts.Key(owner, in: map), default: 0] += count
        }
        tally = FrameTally()
    }

    private func page(_ number: UInt32, size: Int) -> [UInt8]? {
        if let frame = newest[number] {
            let offset = Self.offset(of: frame, pageSize: size) + WALHeader.frameHeaderLength
            return read(files.walDescriptor, count: size, at: offset)
        }
        return read(files.databaseDescriptor, count: size, at: (Int(number) - 1) * size)
    }

    // MARK: Frames

    /// Reads several transactions, or a large part of one, and returns whether any frames were
    /// counted.
    private func readTransactions(until end: UInt32, usableSize: Int) -> Bool {
        guard let position, var map else { return false }
        var transactions: [[FrameTally.Frame]] = []
        var number = position.frame
        let limit = number + UInt32(Self.chunkLength)
        while number < min(end, limit) {
            guard let frames = readTransaction(after: number, until: end, position.salts) else {
                break
            }
            transactions.append(frames)
            number += UInt32(frames.count)
        }
        // A reset during the read may have replaced these frames.
        guard number > position.frame, let index = files.indexHeader,
            (index.salt1, index.salt2) == position.salts
        else { return false }
        var read = position.frame
        for frames in transactions {
            let unknown = tally.counts[.unknown] ?? 0
            tally.add(frames, map: &map, usableSize: usableSize)
            sinceWalk.frames += UInt64(frames.count)
            sinceWalk.unknown += (tally.counts[.unknown] ?? 0) - unknown
            for frame in frames {
                read += 1
                if newest.count < Int(Self.newestLimit) { newest[frame.page] = read }
            }
            // A new schema requires a new walk.
            if let first = frames.last(where: { $0.page == 1 }),
                ByteField(first.bytes).big32(40) != schemaCookie
            {
                schemaCookie = nil
                mappedAt = 0
            }
        }
        framesRead += UInt64(number - position.frame)
        self.map = map
        self.position?.frame = number
        return true
    }

    /// Reads a transaction, or a large part of one, or returns `nil` if a read fails.
    private func readTransaction(
        after first: UInt32,
        until end: UInt32,
        _ salts: (UInt32, UInt32)
    ) -> [FrameTally.Frame]? {
        var frames: [FrameTally.Frame] = []
        var number = first
        var isCommit = false
        while number < end, !isCommit, frames.count < Self.transactionLimit {
            let offset = Self.offset(of: number + 1, pageSize: pageSize)
            let header = WALHeader.frameHeaderLength
            guard let bytes = read(files.walDescriptor, count: header, at: offset),
                let page = ByteField(bytes).big32(0), page > 0,
                let size = ByteField(bytes).big32(4),
                ByteField(bytes).big32(8) == salts.0, ByteField(bytes).big32(12) == salts.1
            else { return nil }
            isCommit = size > 0
            number += 1
            // A transaction of only one page provides no information about other pages. Page 1
            // contains the schema cookie.
            if isCommit, frames.isEmpty, page != 1 {
                return [FrameTally.Frame(page: page, bytes: [])]
            }
            guard let content = read(files.walDescriptor, count: pageSize, at: offset + header)
            else {
                return nil
            }
            frames.append(FrameTally.Frame(page: page, bytes: content))
        }
        return frames
    }

    private func recordNewest(until end: UInt32, _ index: WALIndexHeader) {
        guard end > 0 else { return }
        for frame in 1...end {
            let offset = Self.offset(of: frame, pageSize: pageSize)
            guard let bytes = read(files.walDescriptor, count: 16, at: offset) else { return }
            let field = ByteField(bytes)
            guard let page = field.big32(0), field.big32(8) == index.salt1,
                field.big32(12) == index.salt2
            else { return }
            newest[page] = frame
        }
    }

    private static func offset(of frame: UInt32, pageSize: Int) -> Int {
        WALHeader.length + (Int(frame) - 1) * (pageSize + WALHeader.frameHeaderLength)
    }

    private func read(_ descriptor: Int32, count: Int, at offset: Int) -> [UInt8]? {
        guard descriptor >= 0, offset >= 0 else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            length = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
        }
        return bytes.count == count ? bytes : nil
    }

    private func counts(isBehind: Bool = false) -> TableCounts {
        var all = earlierCounts
        if let map {
            for (owner, count) in tally.counts {
                all[TableCounts.Key(owner, in: map), default: 0] += count
            }
        }
        return TableCounts(
            counts: all,
            framesRead: framesRead,
            isBehind: isBehind,
            helperNanoseconds: SystemClock.process
        )
    }
}

/// A type that reads a database's schema from its pages, without using SQLite or locks.
///
/// A process that also uses the database through SQLite must not use this type. Closing the files
/// would release the process's locks (https://sqlite.org/howtocorrupt.html, section 2.2).
package enum SchemaReader {
    /// The maximum number of schema pages.
    private static let pageLimit = 4_096
    /// The maximum length of a statement, in bytes.
    private static let textLimit = 1 << 18
    /// The maximum number of log frames in which to look up pages.
    private static let frameLimit: UInt32 = 200_000

    /// Returns the statements that create tables, indexes, views, and triggers, in the schema's
    /// order, or `nil` if the file cannot be read.
    ///
    /// If a program changes a statement during the read, that statement may be missing or
    /// malformed.
    package static func statements(path: String) -> [String]? {
        let files = DatabaseFiles(path: Array(path.utf8))
        let observed = ObservedFiles(files.sample(probesReaders: false))
        guard let header = observed.header, header.encoding == nil || header.encoding == .utf8
        else { return nil }
        let pageSize = observed.index?.pageSize ?? header.pageSize
        let newest = observed.index.map { frames(files, at: $0, pageSize: pageSize) } ?? [:]
        func page(_ number: UInt32) -> [UInt8]? {
            if let frame = newest[number] {
                let offset =
                    WALHeader.length
                    + Int(frame - 1) * (pageSize + WALHeader.frameHeaderLength)
                    + WALHeader.frameHeaderLength
                return read(files.walDescriptor, count: pageSize, at: offset)
            }
            return read(files.databaseDescriptor, count: pageSize, at: (Int(number) - 1) * pageSize)
        }
        return statements(usableSize: pageSize - header.reservedBytes, page: page)
    }

    /// Returns the statements in the pages that a closure reads.
    static func statements(usableSize: Int, page: (UInt32) -> [UInt8]?) -> [String] {
        var found: [String] = []
        var stack: [UInt32] = [1]
        var seen: Set<UInt32> = [1]
        while let number = stack.popLast(), seen.count < pageLimit {
            guard let bytes = page(number),
                let node = BTreePage(bytes, number: number, usableSize: usableSize), node.isTable
            else { continue }
            // Push the last child first so that its rows are returned last.
            for child in node.children.reversed() where seen.insert(child).inserted {
                stack.append(child)
            }
            guard !node.isInterior else { continue }
            for cell in 0..<node.cellCount {
                guard
                    let record = record(
                        node,
                        cell: cell,
                        bytes: bytes,
                        usableSize: usableSize,
                        page: page
                    ),
                    let text = statement(record)
                else { continue }
                found.append(text)
            }
        }
        return found
    }

    /// Returns the content of a cell, including its overflow pages.
    private static func record(
        _ node: BTreePage,
        cell: Int,
        bytes: [UInt8],
        usableSize: Int,
        page: (UInt32) -> [UInt8]?
    ) -> [UInt8]? {
        guard let payload = node.payload(ofCell: cell), payload.length <= textLimit,
            var content = node.content(ofCell: cell)
        else { return nil }
        guard payload.local < payload.length else { return content }
        var next = ByteField(bytes).big32(payload.offset + payload.local) ?? 0
        var pages = 0
        while content.count < payload.length, next > 0, pages < pageLimit {
            guard let overflow = page(next), overflow.count >= usableSize else { return nil }
            next = ByteField(overflow).big32(0) ?? 0
            content += overflow[4..<usableSize].prefix(payload.length - content.count)
            pages += 1
        }
        return content.count == payload.length ? content : nil
    }

    /// Returns the last column of a row of `sqlite_schema`
    /// (https://sqlite.org/fileformat2.html, section 2.1).
    private static func statement(_ record: [UInt8]) -> String? {
        let field = ByteField(record)
        guard let (length, first) = field.varint(0), length <= 64 else { return nil }
        var offset = first
        var lengths: [Int] = []
        while offset < Int(length), lengths.count < 5 {
            guard let (type, size) = field.varint(offset), type < 1 << 32 else { return nil }
            offset += size
            let integers = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0]
            lengths.append(type < 12 ? integers[Int(type)] : Int((type - 12) / 2))
        }
        guard lengths.count == 5, lengths[4] > 0 else { return nil }
        let start = Int(length) + lengths[..<4].reduce(0, +)
        guard start >= 0, let text = field.bytes(start..<(start + lengths[4])) else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    private static func frames(
        _ files: DatabaseFiles,
        at index: WALIndexHeader,
        pageSize: Int
    ) -> [UInt32: UInt32] {
        var newest: [UInt32: UInt32] = [:]
        guard index.frames > 0, index.frames <= frameLimit else { return newest }
        for frame in 1...index.frames {
            let offset =
                WALHeader.length + Int(frame - 1) * (pageSize + WALHeader.frameHeaderLength)
            guard let bytes = read(files.walDescriptor, count: 16, at: offset),
                let page = ByteField(bytes).big32(0), ByteField(bytes).big32(8) == index.salt1,
                ByteField(bytes).big32(12) == index.salt2
            else { break }
            newest[page] = frame
        }
        return newest
    }

    private static func read(_ descriptor: Int32, count: Int, at offset: Int) -> [UInt8]? {
        guard descriptor >= 0, offset >= 0 else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            length = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
        }
        return bytes.count == count ? bytes : nil
    }
}
#endif
