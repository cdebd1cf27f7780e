import Foundation
import TerminalUI
import TestSupport
import Testing

@testable import poolgauge

struct ThemeLibraryTests {
    private func write(_ yaml: String, to name: String, in folder: URL) throws {
        try yaml.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }

    @Test func withoutAFolderThereAreOnlyBuiltInThemes() throws {
        #expect(ThemeLibrary(folder: nil).themes == Theme.builtIn)
        #expect(ThemeLibrary(folder: "/no/such/folder").themes == Theme.builtIn)
    }

    @Test func customThemesFollowAndReplaceBuiltInThemes() throws {
        try withTemporaryFolder { folder in
            try write("roles: {text: '#123456'}", to: "mine.yaml", in: folder)
            try write("name: light\nroles: {text: red}", to: "other.yaml", in: folder)
            try write("not a theme", to: "notes.txt", in: folder)
            let library = ThemeLibrary(folder: folder.path)
            #expect(library.failures.isEmpty)
            #expect(library.themes.map(\.name) == Theme.builtIn.map(\.name) + ["mine"])
            #expect(try library.theme(named: "mine").color(.text) == .rgb(0x12, 0x34, 0x56))
            #expect(try library.theme(named: "light").color(.text) == .indexed(1))
            #expect(try library.theme(named: "dark") == Theme.named("dark"))
        }
    }

    @Test func anInvalidFileIsAnErrorOnlyForItsTheme() throws {
        try withTemporaryFolder { folder in
            try write("roles: {txt: red}", to: "dark.yaml", in: folder)
            let library = ThemeLibrary(folder: folder.path)
            let error = #expect(throws: ThemeError.self) { try library.theme(named: "dark") }
            let path = folder.appendingPathComponent("dark.yaml").path
            let text = try #require(error).description
            #expect(text == "\(path):1:9: unknown role 'txt'; did you mean 'text'?")
            #expect(library.failures.count == 1)
            #expect(try library.theme(named: "light") == Theme.named("light"))
        }
    }

    @Test func aPathSelectsAFile() throws {
        try withTemporaryFolder { folder in
            try write("name: mine", to: "x.yaml", in: folder)
            let library = ThemeLibrary(folder: nil)
            let path = folder.appendingPathComponent("x.yaml").path
            #expect(try library.theme(named: path).name == "mine")
            #expect(throws: CommandFailure.self) { try library.theme(named: path + ".yaml") }
        }
    }

    @Test(arguments: GlyphSet.allCases)
    func aPreviewShowsEveryRoleAndGradient(glyphs: GlyphSet) throws {
        for theme in Theme.builtIn {
            let surface = ThemePreview(theme: theme).surface(glyphs: glyphs)
            let text = surface.plainText
            for role in Role.allCases where role != .background && role != .raised {
                #expect(text.contains(" \(role.rawValue) "))
            }
            for gradient in GradientRole.allCases {
                #expect(text.contains(" \(gradient.rawValue)"))
            }
            #expect(glyphs != .ascii || text.allSatisfy(\.isASCII))
        }
    }
}
