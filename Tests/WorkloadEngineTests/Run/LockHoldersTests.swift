import Testing

@testable import WorkloadEngine

struct LockHoldersTests {
    @Test func theSystemLockListIsParsed() {
        let text = """
            1: POSIX  ADVISORY  WRITE 14490 fe:00:5382715 120 120
            2: FLOCK  ADVISORY  WRITE 14490 fe:00:16224188 0 EOF
            3: POSIX  ADVISORY  READ  77 fe:00:5382716 1073741826 1073742335
            3: -> POSIX  ADVISORY  WRITE 99 fe:00:5382716 1073741824 1073741824
            nonsense
            """
        #expect(
            LockHolders.entries(in: text) == [
                .init(process: 14490, inode: 5_382_715, isWrite: true, start: 120),
                .init(process: 77, inode: 5_382_716, isWrite: false, start: 1_073_741_826),
            ]
        )
    }
}
