import TerminalUI
import Testing

struct ColorDepthTests {
    @Test func eachDepthShowsTheNearestColorThatItHas() {
        let red = Color.rgb(250, 5, 5)
        #expect(ColorDepth.direct.nearest(to: red) == red)
        #expect(ColorDepth.indexed256.nearest(to: red) == .indexed(196))
        #expect(ColorDepth.basic16.nearest(to: red) == .indexed(9))
        #expect(ColorDepth.mono.nearest(to: red) == .standard)
        #expect(ColorDepth.indexed256.nearest(to: .rgb(128, 128, 128)) == .indexed(244))
        #expect(ColorDepth.basic16.nearest(to: .indexed(21)) == .indexed(4))
    }

    @Test(arguments: ColorDepth.allCases)
    func whatTheTerminalChoosesStays(depth: ColorDepth) {
        #expect(depth.nearest(to: .standard) == .standard)
    }
}
