import Foundation
import Testing

@testable import TerminalUI

/// Tests that themes make text readable and states distinguishable.
struct ThemeContrastTests {
    private static let colored = Theme.builtIn.filter { $0.name != "monochrome" }.map(\.name)

    @Test(arguments: colored)
    func textStandsOutFromItsBackground(name: String) throws {
        let theme = try Theme.named(name)
        // WCAG 2.2 requires 4.5 for text at level AA (1.4.3) and 7 at level AAA (1.4.6).
        let minimumRatio = name == "high-contrast" ? 7 : 4.5
        for background in [Role.background, .raised] {
            let backgroundColor = try #require(LinearColor(theme.color(background)))
            for role in Role.allCases where role.isText {
                let color = try #require(LinearColor(theme.color(role)))
                let ratio = color.contrast(with: backgroundColor)
                #expect(ratio >= minimumRatio, "\(name): \(role) on \(background)")
            }
        }
    }

    @Test func theMonochromeThemeUsesNoColors() throws {
        let theme = try Theme.named("monochrome")
        #expect(Role.allCases.allSatisfy { theme.style($0).foreground == .standard })
        #expect(theme.style(.text).background == .standard)
        for gradient in GradientRole.allCases {
            #expect(theme.color(gradient, at: 0.5) == .standard)
        }
    }

    @Test(arguments: Vision.allCases)
    func statesAreDistinguishableWithColorBlindness(vision: Vision) throws {
        let theme = try Theme.named(vision.rawValue)
        let states: [Role] = [.running, .held, .committing, .locked, .opening, .idle]
        let seen = try states.map { role in
            try #require(LinearColor(theme.color(role))).seen(by: vision).lab
        }
        for first in states.indices {
            for second in states.indices where second > first {
                let components = seen[first] - seen[second]
                let difference = sqrt((components * components).sum())
                // According to CIE76, a difference of 2.3 is just noticeable between adjacent
                // colors. States are not adjacent on a screen.
                #expect(difference > 15, "\(states[first]) and \(states[second])")
            }
        }
    }

    @Test func colorBlindnessMakesRedAndGreenSimilar() throws {
        let red = try #require(LinearColor(.rgb(200, 90, 40)))
        let green = try #require(LinearColor(.rgb(120, 130, 40)))
        func difference(_ first: SIMD3<Double>, _ second: SIMD3<Double>) -> Double {
            sqrt(((first - second) * (first - second)).sum())
        }
        #expect(difference(red.lab, green.lab) > 40)
        let seen = [red, green].map { $0.seen(by: .deuteranopia).lab }
        #expect(difference(seen[0], seen[1]) < 20)
    }
}

/// The kinds of color blindness, named after the themes.
enum Vision: String, CaseIterable {
    case protanopia
    case deuteranopia

    /// The rows of the matrix that maps linear light to perceived red, green, and blue.
    ///
    /// The matrix is from Machado, Oliveira, and Fernandes, "A Physiologically-based Model for
    /// Simulation of Color Vision Deficiency", IEEE TVCG 15:6, 2009, severity 1.
    var rows: [SIMD3<Double>] {
        switch self {
        case .protanopia:
            [
                SIMD3(0.152286, 1.052583, -0.204868), SIMD3(0.114503, 0.786281, 0.099216),
                SIMD3(-0.003882, -0.048116, 1.051998),
            ]
        case .deuteranopia:
            [
                SIMD3(0.367322, 0.860646, -0.227968), SIMD3(0.280085, 0.672501, 0.047413),
                SIMD3(-0.011820, 0.042940, 0.968881),
            ]
        }
    }
}

/// Red, green, and blue as linear light, from 0 to 1.
struct LinearColor {
    var amounts: SIMD3<Double>

    /// Creates a linear color from an RGB color, or returns `nil` for a color that the terminal
    /// defines.
    init?(_ color: Color) {
        guard case .rgb(let red, let green, let blue) = color else { return nil }
        func linear(_ byte: UInt8) -> Double {
            let share = Double(byte) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        amounts = SIMD3(linear(red), linear(green), linear(blue))
    }

    /// Returns the contrast ratio according to WCAG 2.
    func contrast(with other: LinearColor) -> Double {
        let (lighter, darker) = (
            max(luminance, other.luminance), min(luminance, other.luminance)
        )
        return (lighter + 0.05) / (darker + 0.05)
    }

    /// Returns the perceived color.
    func seen(by vision: Vision) -> LinearColor {
        var seen = self
        for (index, row) in vision.rows.enumerated() {
            seen.amounts[index] = min(max((row * amounts).sum(), 0), 1)
        }
        return seen
    }

    /// The lightness and the two opponent axes of CIELAB for illuminant D65.
    var lab: SIMD3<Double> {
        let xyz = SIMD3(
            (SIMD3(0.4124564, 0.3575761, 0.1804375) * amounts).sum() / 0.95047,
            luminance,
            (SIMD3(0.0193339, 0.1191920, 0.9503041) * amounts).sum() / 1.08883
        )
        func nonlinear(_ value: Double) -> Double {
            value > 216.0 / 24389 ? cbrt(value) : (24389.0 / 27 * value + 16) / 116
        }
        let (x, y, z) = (nonlinear(xyz.x), nonlinear(xyz.y), nonlinear(xyz.z))
        return SIMD3(116 * y - 16, 500 * (x - y), 200 * (y - z))
    }

    private var luminance: Double { (SIMD3(0.2126, 0.7152, 0.0722) * amounts).sum() }
}
