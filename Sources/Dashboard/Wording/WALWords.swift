import Telemetry
import TerminalUI

/// The write-ahead log in words: what keeps it from shrinking.
enum WALWords {
    /// Why the log does not shrink, as what follows "the log"; nil when nothing keeps it.
    static func pin(_ wal: WALStatus?) -> String? {
        guard let pin = wal?.pin else { return nil }
        let name = pin.by.name
        let age = HumanUnits.duration(nanoseconds: pin.ageNanoseconds)
        switch pin.cause {
        case .oldReader: return "is pinned by \(name): it has read one old state for \(age)"
        case .overlappingReaders:
            return "cannot start over: reads have overlapped without a gap for \(age), \(name) now"
        case .largeTransaction: return "grows with one large transaction of \(name), \(age) so far"
        case .noCheckpoint: return "was not checkpointed for \(age), by \(name)"
        case .otherProcess: return "is pinned by another process, \(name), for \(age)"
        }
    }

    /// The cause in two or three words, where there is no room for a sentence.
    static func short(_ pin: WALPin) -> String {
        switch pin.cause {
        case .oldReader: "pinned by \(pin.by.name)"
        case .overlappingReaders: "reads overlap"
        case .largeTransaction: "filled by \(pin.by.name)"
        case .noCheckpoint: "no checkpoint"
        case .otherProcess: "pinned by a process"
        }
    }

    /// The size of the log in frames, in as many words as fit; empty when it could not be read.
    static func frames(_ wal: WALStatus, width: Int) -> String {
        guard let frames = wal.frames else { return "" }
        let all = HumanUnits.count(frames) + (frames == 1 ? " frame" : " frames")
        let copied = wal.checkpointedFrames.map { "\(all), \(HumanUnits.count($0)) copied back" }
        return [copied, all].compactMap(\.self).first { $0.utf8.count <= width } ?? ""
    }
}
