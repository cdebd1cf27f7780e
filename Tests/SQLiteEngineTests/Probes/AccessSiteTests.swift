import Testing

@testable import SQLiteEngine

struct AccessSiteTests {
    @Test func aCallSiteConsistsOfFileAndLine() {
        #expect(AccessSite(fileID: "Module/File.swift", line: 12).origin?.name == "File.swift:12")
    }

    @Test func aLineNumberThatIsTooLargeIsClamped() {
        let site = AccessSite(fileID: "Module/File.swift", line: 100_000)
        #expect(site.origin?.name == "File.swift:65535")
    }

    @Test func aLabelIsTheNameOfItsSite() {
        #expect(AccessSite(AccessLabel("a name")).origin?.name == "a name")
        #expect(AccessLabel("a name").name == "a name")
    }

    @Test func anEmptySiteHasNoName() {
        #expect(AccessSite(word: 0).origin == nil)
    }
}
