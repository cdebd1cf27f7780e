import Findings
import Testing

@testable import SQLiteWatch

struct MountTableTests {
    private let table = MountTable(
        text: """
            27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
            65 43 0:39 / /data/my\\040files rw,relatime shared:1 - overlay overlay rw
            66 43 0:40 / /data/nfs rw,relatime - nfs4 server:/x rw
            67 43 bad
            """
    )

    @Test(arguments: [
        ("/data/my files/a.db", "overlay"), ("/data/my filesystem/a.db", "ext4"),
        ("/data/nfs/a.db", "nfs4"), ("/a.db", "ext4"),
    ])
    func theLongestMountPointTakesPrecedence(path: String, type: String) {
        #expect(table.mount(of: path)?.type == type)
    }

    @Test func sharedFileSystemsHaveAWarning() {
        #expect(FileSystemStatus(type: "nfs4").warning?.contains("other machines") == true)
        #expect(FileSystemStatus(type: "fuse.sshfs").warning?.contains("FUSE") == true)
        #expect(FileSystemStatus(type: "ext4").warning == nil)
    }
}
