import Foundation

/// A mount namespace whose root directory is an overlay of this system's, as in a container.
package enum OverlayRoot {
    /// Returns a command that starts a program with such a root directory.
    ///
    /// - Parameter folder: A folder for the mounts, which is created.
    /// - Returns: The command.
    package static func command(_ folder: String) -> [String] {
        let script = """
            set -e
            folder=$1
            shift
            mkdir -p "$folder"
            mount --make-rprivate /
            mount -t tmpfs none "$folder"
            mkdir "$folder/upper" "$folder/work" "$folder/root"
            options=lowerdir=/,upperdir=$folder/upper,workdir=$folder/work
            mount -t overlay none -o "$options" "$folder/root"
            mount -t proc proc "$folder/root/proc"
            exec chroot "$folder/root" "$@"
            """
        return ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "-", folder]
    }

    /// Whether such a namespace can be created.
    package static let isAvailable: Bool = {
        guard ForeignProgram.isAvailable else { return false }
        let folder = TemporaryFolder()
        let program = try? ForeignProgram("", through: command(folder.file("root")))
        return (try? program?.run("pass")) != nil
    }()
}
