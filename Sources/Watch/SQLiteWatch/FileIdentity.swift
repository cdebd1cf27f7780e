/// The identity of a file, independent of its name.
package struct FileIdentity: Hashable, Sendable {
    /// The major and minor device numbers, as `/proc/locks` prints them.
    package struct Device: Hashable, Sendable {
        package var major: UInt32
        package var minor: UInt32

        package init(major: UInt32, minor: UInt32) {
            self.major = major
            self.minor = minor
        }
    }

    package var device: Device
    package var inode: UInt64

    package init(device: Device, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// The identities under which `/proc/locks` may list the locks on a file.
///
/// `/proc/locks` prints the device of the mounted file system. If a file system has several devices
/// under one mount, as with overlayfs and btrfs, `stat` returns a different device. The mount's
/// device is therefore the second candidate.
struct LockIdentity: Equatable, Sendable {
    var inode: UInt64
    var devices: [FileIdentity.Device]

    func matches(_ file: FileIdentity) -> Bool {
        inode == file.inode && devices.contains(file.device)
    }
}
