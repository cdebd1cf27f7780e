import FaultVFS
import Foundation
import TestSupport

/// The content of a disk after a power loss, computed from recorded operations.
struct RecordedDisk {
    /// The effect of a power loss on the operations after the last sync of a file.
    enum Loss: String, Sendable, CaseIterable {
        /// The operations are lost.
        case dropped
        /// The operations reach the disk.
        case kept
        /// The operations reach the disk, except the end of the last write, which is cut at a
        /// sector boundary.
        case torn
        /// Some sectors of the writes reach the disk.
        case reordered
    }

    private static let sectorSize = 512

    private enum Change {
        case write(offset: Int, bytes: [UInt8])
        case truncate(Int)
        case delete
    }

    /// The numbers of the marks before the power loss.
    private(set) var marks: [Int] = []
    private var files: [String: [UInt8]] = [:]
    private var pending: [String: [Change]] = [:]
    /// The journals and logs that have been synced since their creation.
    private var synced: Set<String> = []

    /// Creates the content after a number of operations.
    init(operations: Int, loss: Loss, random: inout SeededRandom) {
        for index in 0..<operations { apply(recording_operation(Int64(index))) }
        for name in pending.keys.sorted() { lose(loss, of: name, &random) }
    }

    private mutating func apply(_ operation: recorded_operation) {
        let name = String(cString: operation.name)
        switch Int(operation.kind) {
        case Int(RECORD_WRITE):
            let bytes = UnsafeRawBufferPointer(
                start: operation.data,
                count: Int(operation.length)
            )
            pending[name, default: []].append(
                .write(offset: Int(operation.offset), bytes: Array(bytes))
            )
        case Int(RECORD_TRUNCATE):
            pending[name, default: []].append(.truncate(Int(operation.offset)))
        case Int(RECORD_SYNC):
            for change in pending[name] ?? [] { Self.apply(change, to: &files[name]) }
            pending[name] = nil
            // The first sync of a journal or a log also syncs the folder, which makes deletions
            // durable (`UNIXFILE_DIRSYNC` in SQLite's os_unix.c).
            if name.hasSuffix("-journal") || name.hasSuffix("-wal"), synced.insert(name).inserted {
                syncFolder()
            }
        case Int(RECORD_DELETE):
            synced.remove(name)
            if operation.is_durable != 0 {
                (files[name], pending[name]) = (nil, nil)
                syncFolder()
            } else {
                pending[name, default: []].append(.delete)
            }
        case Int(RECORD_MARK): marks.append(Int(operation.offset))
        default: break
        }
    }

    /// Makes all deletions durable.
    private mutating func syncFolder() {
        for (name, changes) in pending {
            let deletion = changes.lastIndex { if case .delete = $0 { true } else { false } }
            guard let deletion else { continue }
            files[name] = nil
            pending[name] = Array(changes[(deletion + 1)...])
        }
    }

    private mutating func lose(_ loss: Loss, of name: String, _ random: inout SeededRandom) {
        var changes = pending[name] ?? []
        switch loss {
        case .dropped: return
        case .kept: break
        case .torn:
            if case .write(let offset, let bytes)? = changes.last {
                let sectors = (bytes.count + Self.sectorSize - 1) / Self.sectorSize
                let kept = Int.random(in: 0..<sectors, using: &random) * Self.sectorSize
                changes[changes.count - 1] = .write(
                    offset: offset,
                    bytes: Array(bytes.prefix(kept))
                )
            }
        case .reordered:
            // Deletions and truncations change the file system's metadata. They are kept together
            // with the preceding changes, or lost together with the following changes.
            var kept: [Change] = []
            for change in changes {
                guard case .write(let offset, let bytes) = change else {
                    guard Bool.random(using: &random) else { break }
                    kept.append(change)
                    continue
                }
                var start = 0
                while start < bytes.count {
                    // Sectors are aligned in the file.
                    let length = Self.sectorSize - (offset + start) % Self.sectorSize
                    let end = min(bytes.count, start + length)
                    if Bool.random(using: &random) {
                        kept.append(
                            .write(offset: offset + start, bytes: Array(bytes[start..<end]))
                        )
                    }
                    start = end
                }
            }
            changes = kept
        }
        for change in changes { Self.apply(change, to: &files[name]) }
    }

    private static func apply(_ change: Change, to file: inout [UInt8]?) {
        switch change {
        case .write(let offset, let bytes):
            var content = file ?? []
            if content.count < offset + bytes.count {
                content += [UInt8](repeating: 0, count: offset + bytes.count - content.count)
            }
            content.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
            file = content
        case .truncate(let size): file = file.map { Array($0.prefix(size)) }
        case .delete: file = nil
        }
    }

    /// Writes the files to a folder.
    func write(to folder: URL) throws {
        for (name, bytes) in files {
            try Data(bytes).write(to: folder.appendingPathComponent(name))
        }
    }
}
