import Findings

@testable import SQLTrace
@testable import SQLiteWatch

extension FuzzTarget {
    /// The headers of a database, its log, its wal-index, and its journal.
    ///
    /// The checksums are corrected, because the parser stops at an incorrect checksum.
    static let headers = FuzzTarget(
        name: "headers",
        maximumLength: 512,
        seeds: HeaderBytes.all.enumerated().map { [UInt8($0.offset)] + $0.element }
    ) { bytes in
        let content = Array(bytes.dropFirst())
        var monitor = DatabaseMonitor(path: "x")
        // A second, shorter header simulates a change between two samples.
        for (round, content) in [content, Array(content.dropLast(content.count / 2))].enumerated() {
            let log = HeaderBytes.withLogChecksum(content)
            let index = HeaderBytes.withIndexChecksum(content)
            _ = WALHeader(log)
            _ = JournalHeader(content)
            if let header = DatabaseHeader(content) {
                guard header.pageSize - header.reservedBytes >= 480 else {
                    throw WrongResult("a page has \(header.pageSize) bytes")
                }
            }
            if let header = WALIndexHeader(index) {
                for mark in -1...6 { _ = header.pinnedFrames(mark: mark) }
                guard header.backfilled <= header.frames else {
                    throw WrongResult("more frames are copied than written")
                }
            }
            var sample = FileSample()
            sample.database = file(HeaderBytes.database)
            sample.journal = file(content)
            sample.wal = file(log)
            sample.index = file(index)
            if bytes.first == 0 { sample.database = file(content) }
            monitor.update(
                Observation(now: UInt64(round) + 1, weight: 1, files: ObservedFiles(sample))
            )
        }
    }

    private static func file(_ bytes: [UInt8]) -> FileContent {
        var file = FileContent()
        file.bytes = bytes
        file.identity = FileIdentity(device: .init(major: 1, minor: 2), inode: 3)
        file.size = .max
        return file
    }

    /// The pages of a database.
    ///
    /// The first page is the root of the schema table.
    static let pages = FuzzTarget(
        name: "pages",
        maximumLength: 4_096,
        seeds: [HeaderBytes.schemaPage, HeaderBytes.schemaPage + HeaderBytes.schemaPage]
    ) { bytes in
        let size = 512
        func page(_ number: UInt32) -> [UInt8]? {
            let start = (Int(number) - 1) * size
            guard start >= 0, start < bytes.count else { return nil }
            let part = bytes[start..<min(bytes.count, start + size)]
            return Array(part) + [UInt8](repeating: 0, count: size - part.count)
        }
        for usableSize in [size, 480] {
            let walked = PageMap.walk(
                pages: 64,
                usableSize: usableSize,
                limits: .init(),
                read: page
            )
            for statement in SchemaReader.statements(usableSize: usableSize, page: page)
            where statement.utf8.count > 3 * bytes.count {
                throw WrongResult("a statement is longer than the file")
            }
            var map = walked?.map ?? PageMap(entries: [], pages: 64)
            var tally = FrameTally()
            let frames = (1...8).compactMap { number in
                page(number).map { FrameTally.Frame(page: number, bytes: $0) }
            }
            tally.add(frames, map: &map, usableSize: usableSize)
            guard tally.counts.values.reduce(0, +) == frames.count else {
                throw WrongResult("the tally omits frames")
            }
        }
    }

    /// The messages between `top` and its helper process.
    static let helperMessages = FuzzTarget(
        name: "helper-messages",
        maximumLength: 2_048,
        seeds: {
            var sample = FileSample()
            sample.database = file(HeaderBytes.database)
            sample.probes = [.init(byte: 120, isIndex: true, isWrite: true, process: 7)]
            var batch = SampleBatch(entries: [])
            for moment in 0..<3 {
                batch.entries.append(
                    .init(moment: moment, time: 9, samples: [sample], locks: moment == 1 ? [] : nil)
                )
            }
            let requests: [HelperRequest] = [
                .watch(slot: 1, path: [0x2F]), .sample(slot: 1, probesReaders: true),
                .batch(slots: 1, probesReaders: true, moments: [.init(time: 1, readsList: true)]),
            ]
            let counts = TableCounts(
                counts: [.init(kind: .table, name: "a"): 5],
                framesRead: 12,
                helperNanoseconds: 9
            )
            return [sample.bytes, batch.bytes, counts.bytes] + requests.map(\.bytes)
        }()
    ) { bytes in
        if let sample = FileSample(bytes), sample.bytes != bytes, FileSample(sample.bytes) != sample
        {
            throw WrongResult("the sample changes when it is sent again")
        }
        if let request = HelperRequest(bytes), HelperRequest(request.bytes) != request {
            throw WrongResult("the request changes when it is sent again")
        }
        if let batch = SampleBatch(bytes) { _ = batch.bytes }
        _ = TableCounts(bytes)
    }

    /// Text files in `/proc`.
    static let systemTexts = FuzzTarget(
        name: "system-texts",
        seeds: [
            "1: POSIX  ADVISORY  READ 4711 08:01:1234 123 123\n2: POSIX  ADVISORY  WRITE 9 "
                + "00:2a:77 1073741826 EOF\n",
            "22 27 0:21 / /proc rw,relatime shared:1 - proc proc rw\n36 35 98:0 /m1 "
                + "/mnt/a\\040b rw,noatime master:1 - ext4 /dev/root rw\n",
            "4711 (a (b) c) S 1 4711 4711 0 -1 4194560 100 0 0 0 12 34 0 0 20 0 1 0 99 1 1 1\n",
            "55d0c0a01000-55d0c0a02000 r-xp 00001000 fe:00 1311      /usr/lib/libsqlite3.so.0\n",
            "7e0000000000-7e0000001000 ---p 00000000 00:00 0 \n7e0000001000-7e0000801000 rw-p "
                + "00000000 00:00 0 \n7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0   [stack]\n",
        ].map { Array($0.utf8) },
        words: [
            "POSIX ", "ADVISORY ", "READ ", "WRITE ", "EOF", "-> ", ":", " - ", "/", "\\040",
            "18446744073709551615", "18446744073709551616", "4294967295", "ffffffffffffffff",
            "r-xp", "rw-p", "---p", "[stack]",
            "libsqlite3.so", "(", ")", "\n", "-1", "sql=", "file4=", "=1024", "connection=",
        ]
    ) { bytes in
        for lock in LockTable.parse(bytes, inodes: [1234, 77]) {
            var locks = ProcessLocks(process: lock.process)
            LockBytes.addIndexLock(lock, to: &locks)
            LockBytes.addDatabaseLock(lock, isWAL: false, to: &locks)
        }
        let mounts = MountTable(text: text(bytes))
        _ = mounts.mount(of: "/proc/a")
        for mount in mounts.mounts { _ = FileSystemStatus(type: mount.type) }
        _ = ProcessStat(bytes)
        _ = MemoryMaps.sqliteCode(in: text(bytes))
        let maps = ProcessMaps(bytes)
        guard maps.stacks.allSatisfy(maps.data.contains) else {
            throw WrongResult("a stack that is not writable")
        }
        if let layout = StatementLayout(text: text(bytes)) {
            guard (0...StatementLayout.limit).contains(layout.sql) else {
                throw WrongResult("a field at \(layout.sql)")
            }
        }
        _ = ProcessFacts.name(
            of: "python3",
            arguments: text(bytes).split(separator: "\0").map(String.init)
        )
    }
}
