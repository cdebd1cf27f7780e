import TestSupport
import Testing

@testable import Recording

struct TextDeltaTests {
    private static func text(_ generator: inout SeededRandom, length: Int) -> [UInt8] {
        (0..<length).map { _ in UInt8.random(in: 97...100, using: &generator) }
    }

    @Test(arguments: 0..<50)
    func decodingRestoresTheText(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        let base = Self.text(&generator, length: Int.random(in: 0...3_000, using: &generator))
        var text = base
        for _ in 0..<Int.random(in: 0...20, using: &generator) {
            let length = Int.random(in: 0...40, using: &generator)
            let new = Self.text(&generator, length: length)
            let start = Int.random(in: 0...text.count, using: &generator)
            let end = min(text.count, start + Int.random(in: 0...60, using: &generator))
            text.replaceSubrange(start..<end, with: new)
        }
        let delta = TextDelta.encode(text, from: base)
        #expect(TextDelta.decode(delta, from: base) == text)
    }

    @Test func similarTextsHaveSmallDeltas() throws {
        let base = try RecordedValue.run(Fixture.sample(1)).json()
        let text = try RecordedValue.run(Fixture.sample(2, walBytes: 8_192)).json()
        let delta = TextDelta.encode(text, from: base)
        #expect(TextDelta.decode(delta, from: base) == text)
        #expect(delta.count < text.count / 6, "\(delta.count) of \(text.count)")
    }

    @Test(arguments: 0..<200)
    func damagedDeltasAreRejectedOrDecoded(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        let base = Self.text(&generator, length: 500)
        var delta = TextDelta.encode(Self.text(&generator, length: 500) + base, from: base)
        for _ in 0..<5 {
            let index = Int.random(in: delta.indices, using: &generator)
            delta[index] = UInt8.random(in: 0...255, using: &generator)
        }
        // The result is arbitrary, but decoding neither traps nor allocates without limit.
        let text = TextDelta.decode(delta, from: base)
        #expect((text?.count ?? 0) < 1 << 29)
    }
}
