/// The first bytes of a file and its metadata.
struct FileContent: Equatable, Sendable {
    /// The `errno` of the first failed call, or 0 if all calls succeeded.
    var error: Int32 = 0
    /// Whether the path refers to something other than a regular file.
    var isSpecial = false
    /// The size, in bytes.
    var size: UInt64 = 0
    var identity: FileIdentity?
    /// The modification time, in nanoseconds since 1970.
    var modified: Int64 = 0
    /// The first bytes, up to the requested number.
    var bytes: [UInt8] = []

    var exists: Bool { identity != nil }

    /// Whether the helper has the file open and can query its locks.
    var isOpen: Bool { exists && !isSpecial && error == 0 }

    func write(to writer: inout MessageWriter) {
        writer.put(error)
        writer.put(UInt8(isSpecial ? 1 : 0))
        writer.put(size)
        writer.put(UInt8(identity == nil ? 0 : 1))
        writer.put(identity?.device.major ?? 0)
        writer.put(identity?.device.minor ?? 0)
        writer.put(identity?.inode ?? 0)
        writer.put(modified)
        writer.put(bytes)
    }

    init() {}

    init?(_ reader: inout MessageReader) {
        guard let error = reader.get(Int32.self), let isSpecial = reader.get(UInt8.self),
            let size = reader.get(UInt64.self), let exists = reader.get(UInt8.self),
            let major = reader.get(UInt32.self), let minor = reader.get(UInt32.self),
            let inode = reader.get(UInt64.self), let modified = reader.get(Int64.self),
            let bytes = reader.getBytes()
        else { return nil }
        self.error = error
        self.isSpecial = isSpecial != 0
        self.size = size
        identity =
            exists == 0
            ? nil
            : FileIdentity(
                device: FileIdentity.Device(major: major, minor: minor),
                inode: inode
            )
        self.modified = modified
        self.bytes = bytes
    }
}

/// The data that the helper reads from a database for one sample.
struct FileSample: Equatable, Sendable {
    /// A lock that the system reports in response to a query.
    struct Probe: Equatable, Sendable {
        /// The queried byte.
        var byte: UInt64
        /// Whether the byte belongs to the `-shm` file rather than the database.
        var isIndex: Bool
        /// Whether the lock is known to exclude all other locks.
        var isWrite: Bool
        /// The process ID of the holder, or 0 if the holder is in another PID namespace.
        var process: Int32
    }

    var database = FileContent()
    var wal = FileContent()
    var index = FileContent()
    var journal = FileContent()
    /// The locks that the queries found.
    var probes: [Probe] = []
    /// The processor time of the helper, in nanoseconds.
    var helperNanoseconds: UInt64 = 0

    var bytes: [UInt8] {
        var writer = MessageWriter()
        for file in [database, wal, index, journal] { file.write(to: &writer) }
        Self.write(probes, to: &writer)
        writer.put(helperNanoseconds)
        return writer.bytes
    }

    init() {}

    init?(_ bytes: [UInt8]) {
        var reader = MessageReader(bytes)
        guard let database = FileContent(&reader), let wal = FileContent(&reader),
            let index = FileContent(&reader), let journal = FileContent(&reader),
            let probes = Self.probes(&reader), let used = reader.get(UInt64.self), reader.isAtEnd
        else { return nil }
        self.database = database
        self.wal = wal
        self.index = index
        self.journal = journal
        self.probes = probes
        helperNanoseconds = used
    }

    private static func write(_ probes: [Probe], to writer: inout MessageWriter) {
        writer.put(UInt8(min(probes.count, 255)))
        for probe in probes.prefix(255) {
            writer.put(probe.byte)
            writer.put(UInt8((probe.isIndex ? 1 : 0) | (probe.isWrite ? 2 : 0)))
            writer.put(probe.process)
        }
    }

    private static func probes(_ reader: inout MessageReader) -> [Probe]? {
        guard let count = reader.get(UInt8.self) else { return nil }
        var probes: [Probe] = []
        for _ in 0..<count {
            guard let byte = reader.get(UInt64.self), let flags = reader.get(UInt8.self),
                let process = reader.get(Int32.self)
            else { return nil }
            probes.append(
                Probe(
                    byte: byte,
                    isIndex: flags & 1 != 0,
                    isWrite: flags & 2 != 0,
                    process: process
                )
            )
        }
        return probes
    }
}

extension FileSample {
    /// The data of a database in WAL mode that may change between two samples.
    struct Update: Equatable, Sendable {
        var indexBytes: [UInt8]
        var probes: [Probe]

        var bytes: [UInt8] {
            var writer = MessageWriter()
            writer.put(indexBytes)
            FileSample.write(probes, to: &writer)
            return writer.bytes
        }

        init(indexBytes: [UInt8], probes: [Probe]) {
            self.indexBytes = indexBytes
            self.probes = probes
        }

        init?(_ bytes: [UInt8]) {
            var reader = MessageReader(bytes)
            guard let indexBytes = reader.getBytes(), let probes = FileSample.probes(&reader),
                reader.isAtEnd
            else { return nil }
            self.init(indexBytes: indexBytes, probes: probes)
        }
    }

    /// Returns the changes since a sample, or `nil` if an update cannot represent them.
    func update(from last: FileSample) -> Update? {
        let update = Update(indexBytes: index.bytes, probes: probes)
        return last.updated(with: update) == self ? update : nil
    }

    func updated(with update: Update) -> FileSample {
        var sample = self
        sample.index.bytes = update.indexBytes
        sample.probes = update.probes
        return sample
    }
}
