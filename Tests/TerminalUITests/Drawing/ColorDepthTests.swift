import TerminalUI
import Testing

struct ColorDepthTests {
    @Test func eachDepthReturnsItsNearestColor() {
        let red = Color.rgb(250, 5, 5)
        #expect(ColorDepth.direct.nearest(to: red) == red)
        #expect(ColorDepth.indexed256.nearest(to: red) == .indexed(196))
        #expect(ColorDepth.basic16.nearest(to: red) == .indexed(9))
        #expect(ColorDepth.mono.nearest(to: red) == .standard)
        #expect(ColorDepth.indexed256.nearest(to: .rgb(128, 128, 128)) == .indexed(244))
        #expect(ColorDepth.basic16.nearest(to: .indexed(21)) == .indexed(4))
    }

    @Test(arguments: ColorDepth.allCases)
    func defaultColorsAreKept(depth: ColorDepth) {
        #expect(depth.nearest(to: .standard) == .standard)
    }

    @Test func aStyleStoresItsColors() {
        let colors: [Color] = [
            .standard, .indexed(0), .indexed(255), .rgb(0, 0, 0), .rgb(1, 2, 3),
            .rgb(255, 254, 253),
        ]
        for foreground in colors {
            for background in colors {
                var style = Style(foreground: foreground, background: background)
                #expect(style.foreground == foreground && style.background == background)
                style.foreground = background
                style.background = foreground
                #expect(style == Style(foreground: background, background: foreground))
            }
        }
        #expect(Style(foreground: .standard) != Style(foreground: .indexed(0)))
        #expect(Style(foreground: .indexed(0)) != Style(foreground: .rgb(0, 0, 0)))
    }
}
