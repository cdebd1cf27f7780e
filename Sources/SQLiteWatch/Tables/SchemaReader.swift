#if os(Linux)
import Glibc

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
        let newest = observed.index.map { frames(files, $0, pageSize: pageSize) } ?? [:]
        func page(_ number: UInt32) -> [UInt8]? {
            if let frame = newest[number] {
                let offset =
                    WALHeader.length
                    + Int(frame - 1) * (pageSize + WALHeader.frameHeaderLength)
                    + WALHeader.frameHeaderLength
                return read(files.walDescriptor, pageSize, at: offset)
            }
            return read(files.databaseDescriptor, pageSize, at: (Int(number) - 1) * pageSize)
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
                guard let record = record(node, cell, bytes, usableSize: usableSize, page: page),
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
        _ cell: Int,
        _ bytes: [UInt8],
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
        _ index: WALIndexHeader,
        pageSize: Int
    ) -> [UInt32: UInt32] {
        var newest: [UInt32: UInt32] = [:]
        guard index.frames > 0, index.frames <= frameLimit else { return newest }
        for frame in 1...index.frames {
            let offset =
                WALHeader.length + Int(frame - 1) * (pageSize + WALHeader.frameHeaderLength)
            guard let bytes = read(files.walDescriptor, 16, at: offset),
                let page = ByteField(bytes).big32(0), ByteField(bytes).big32(8) == index.salt1,
                ByteField(bytes).big32(12) == index.salt2
            else { break }
            newest[page] = frame
        }
        return newest
    }

    private static func read(_ descriptor: Int32, _ count: Int, at offset: Int) -> [UInt8]? {
        guard descriptor >= 0, offset >= 0 else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            length = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
        }
        return bytes.count == count ? bytes : nil
    }
}
#endif
