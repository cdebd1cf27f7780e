import Foundation
import PoolgaugeAgent
import Testing

@testable import poolgauge

struct ExportTargetTests {
    @Test func textWithoutAFileIsAnAgent() {
        #expect(ExportTarget("no-such-file") == .agent(.name("no-such-file")))
        #expect(ExportTarget("4711") == .agent(.process(4711)))
        #expect(ExportTarget("data/missing.sqlite") == .file(path: "data/missing.sqlite"))
    }

    @Test func existingFilesAndSocketsAreRecognized() throws {
        var template = Array("/tmp/pgt-XXXXXX".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data().write(to: URL(fileURLWithPath: folder + "/app.sqlite"))
        #expect(ExportTarget(folder + "/app.sqlite") == .file(path: folder + "/app.sqlite"))
        let pool = try DatabasePoolFixture(path: folder + "/pool.sqlite", agents: folder + "/a")
        let socket = pool.agent.socketPath
        #expect(ExportTarget(socket) == .agent(.socket(path: socket)))
    }
}
