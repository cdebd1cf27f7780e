struct MountTable: Sendable {
    struct Mount: Equatable, Sendable {
        var device: FileIdentity.Device
        var point: String
        /// The type, such as `ext4`, `nfs4`, or `fuse.sshfs`.
        var type: String
    }

    var mounts: [Mount]

    /// Parses lines such as `22 27 0:21 / /proc rw,relatime shared:1 - proc proc rw`, skipping
    /// malformed lines.
    init(text: String) {
        mounts = text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let dash = words.firstIndex(of: "-"), dash >= 6, words.count > dash + 1 else {
                return nil
            }
            let numbers = words[2].split(separator: ":").compactMap { UInt32($0) }
            guard numbers.count == 2 else { return nil }
            return Mount(
                device: FileIdentity.Device(major: numbers[0], minor: numbers[1]),
                point: Self.unescaped(words[4]),
                type: String(words[dash + 1])
            )
        }
    }

    /// Returns the file system that contains an absolute path without symbolic links.
    func mount(of path: String) -> Mount? {
        var best: Mount?
        for mount in mounts {
            let isInside =
                mount.point == "/" || path == mount.point || path.hasPrefix(mount.point + "/")
            // A later mount on the same mount point hides the earlier one.
            if isInside, mount.point.utf8.count >= (best?.point.utf8.count ?? 0) { best = mount }
        }
        return best
    }

    /// Decodes spaces, tabs, newlines, and backslashes, which the kernel encodes as three octal
    /// digits.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == 0x5c, rest.count >= 3,
                let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
