#if os(Linux)
import Glibc

/// A helper process that is started again when it ends.
struct HelperConnection {
    private let command: [String]
    private var paths: [[UInt8]]
    private var helper: HelperProcess?
    private var retryAt: UInt64 = 0
    private var restartedSinceAsked = false
    /// Processor time of helpers that ended, in nanoseconds.
    private var endedNanoseconds: UInt64 = 0
    private var currentNanoseconds: UInt64 = 0

    /// Why the last sample failed; nil when it did not.
    private(set) var problem: String?

    /// How long after a failure another helper is started, in nanoseconds.
    private static let pause: UInt64 = 1_000_000_000

    /// Starts a helper for databases at paths; the number of each is its slot.
    init(command: [String], paths: [String]) throws(WatchError) {
        self.command = command
        self.paths = paths.map { Array($0.utf8) }
        for path in self.paths where path.count > HelperRequest.pathLimit || path.contains(0) {
            throw WatchError(.paths, "a path is longer than \(HelperRequest.pathLimit) bytes")
        }
        do { try start() } catch {
            throw WatchError(.helper, "the helper process cannot be started: \(Self.text(error))")
        }
    }

    /// The helper; 0 while none runs.
    var process: Int32 { helper?.process ?? 0 }

    /// Processor time that helpers have used, in nanoseconds.
    var nanoseconds: UInt64 { endedNanoseconds &+ currentNanoseconds }

    /// Whether another process serves since this was last asked.
    var hasRestarted: Bool {
        mutating get {
            defer { restartedSinceAsked = false }
            return restartedSinceAsked
        }
    }

    /// Reads the headers of a database; when the helper fails, as if no file could be read.
    mutating func sample(slot: UInt8, probesReaders: Bool, at now: UInt64) -> FileSample {
        do throws(HelperProcess.Failure) {
            if helper == nil {
                guard now >= retryAt else { return Self.failed }
                try start()
            }
            guard let helper,
                let sample = FileSample(
                    try helper.answer(to: .sample(slot: slot, probesReaders: probesReaders))
                )
            else { throw .malformed }
            currentNanoseconds = sample.helperNanoseconds
            problem = nil
            return sample
        } catch {
            problem = "The files cannot be read: \(Self.text(error))."
            helper = nil
            endedNanoseconds &+= currentNanoseconds
            currentNanoseconds = 0
            retryAt = now &+ Self.pause
            return Self.failed
        }
    }

    /// Adds a database, whose slot is the next number; false when that failed.
    mutating func add(path: String) -> Bool {
        let bytes = Array(path.utf8)
        guard bytes.count <= HelperRequest.pathLimit, !bytes.contains(0) else { return false }
        if let helper {
            let slot = UInt8(paths.count)
            guard (try? helper.answer(to: .watch(slot: slot, path: bytes))) != nil else {
                return false
            }
        }
        paths.append(bytes)
        return true
    }

    private mutating func start() throws(HelperProcess.Failure) {
        let new = try HelperProcess(command)
        for (slot, path) in paths.enumerated() {
            _ = try new.answer(to: .watch(slot: UInt8(slot), path: path))
        }
        helper = new
        restartedSinceAsked = true
    }

    private static var failed: FileSample {
        var sample = FileSample()
        sample.database.error = ETIMEDOUT
        return sample
    }

    private static func text(_ failure: HelperProcess.Failure) -> String {
        switch failure {
        case .start(let code): String(cString: strerror(code))
        case .ended: "the helper process ended"
        case .silent: "the helper process does not answer; a network file system may be down"
        case .malformed: "the helper process gave a malformed answer"
        }
    }
}
#endif
