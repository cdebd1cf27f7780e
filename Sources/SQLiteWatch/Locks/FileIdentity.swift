/// A file, independent of its name.
package struct FileIdentity: Hashable, Sendable {
    /// Major and minor device number, as `/proc/locks` prints them.
    package struct Device: Hashable, Sendable {
        package var major: UInt32
        package var minor: UInt32
    }

    package var device: Device
    package var inode: UInt64
}

/// The identities that the locks of one file may be listed with.
///
/// `/proc/locks` prints the device of the mounted file system. `stat` returns another device where a
/// file system has several below one mount, as overlayfs and btrfs have: the device of the mount is
/// the second candidate.
struct LockIdentity: Equatable, Sendable {
    var inode: UInt64
    var devices: [FileIdentity.Device]

    /// Whether a lock is one of this file.
    func matches(_ file: FileIdentity) -> Bool {
        inode == file.inode && devices.contains(file.device)
    }
}
