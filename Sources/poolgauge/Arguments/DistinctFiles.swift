import ArgumentParser
import Foundation
import Scenarios

/// A check that a command does not overwrite one of its input files or another of its outputs.
enum DistinctFiles {
    /// A file that a command reads or writes.
    struct Use {
        /// The option or the argument, for error messages.
        let name: String
        /// The path, or `nil` if the command does not use a file here.
        let path: String?

        init(_ name: String, _ path: String?) {
            self.name = name
            self.path = path
        }

        /// Creates a use of a scenario, which is a preset or a file.
        static func scenario(_ nameOrPath: String?) -> Use {
            Use("the scenario", nameOrPath.flatMap { Presets.named($0) == nil ? $0 : nil })
        }
    }

    private enum Identity: Equatable {
        case file(device: UInt64, inode: UInt64)
        /// A file that does not exist yet, in a folder whose symbolic links are resolved.
        case missing(path: String)

        var exists: Bool { if case .file = self { true } else { false } }
    }

    /// The maximum number of symbolic links to missing files to follow.
    private static let maximumLinkCount = 8

    /// Checks that no output is the same file as an input or another output.
    ///
    /// - Parameters:
    ///   - outputs: The files that the command replaces or extends.
    ///   - inputs: The files that the command reads.
    /// - Throws: `ValidationError` if two paths refer to one file and at least one of them is an
    ///   output.
    static func check(outputs: [Use], inputs: [Use] = []) throws {
        var others: [(name: String, identity: Identity)] = []
        for input in inputs {
            // A missing input may be the name of something else, such as an agent.
            guard let path = input.path, let identity = identity(of: path), identity.exists
            else { continue }
            others.append((input.name, identity))
        }
        for output in outputs {
            guard let path = output.path, let identity = identity(of: path) else { continue }
            if let other = others.first(where: { $0.identity == identity }) {
                throw ValidationError(
                    "\(output.name) and \(other.name) are the same file, '\(path)'; specify another "
                        + "file with \(output.name)"
                )
            }
            others.append((output.name, identity))
        }
    }

    /// Returns the identity of a regular or missing file, or `nil` for other files.
    private static func identity(of path: String, links: Int = 0) -> Identity? {
        // These paths may refer to a file that the shell has opened.
        guard !path.hasPrefix("/dev/"), !path.hasPrefix("/proc/") else { return nil }
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else { return nil }
            return .file(
                device: UInt64(truncatingIfNeeded: status.st_dev),
                inode: UInt64(truncatingIfNeeded: status.st_ino)
            )
        }
        let url = URL(fileURLWithPath: path)
        let folder = url.deletingLastPathComponent()
        if links < maximumLinkCount,
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
        {
            let targetPath =
                target.hasPrefix("/") ? target : folder.appendingPathComponent(target).path
            return identity(of: targetPath, links: links + 1)
        }
        guard let resolved = realpath(folder.path, nil) else { return nil }
        defer { free(resolved) }
        return .missing(path: String(cString: resolved) + "/" + url.lastPathComponent)
    }
}
