import Foundation
import TestSupport
import Testing

@testable import SQLiteWatch

/// Tests that malformed pages and records never trap and cause only a bounded amount of work.
struct PageMutationTests {
    private func page(_ random: inout SeededRandom, size: Int) -> [UInt8] {
        var bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
        for start in [0, 100] where start + 12 <= size {
            bytes[start] = [2, 5, 10, 13].randomElement(using: &random) ?? 13
            bytes[start + 3] = 0
        }
        return bytes
    }

    @Test(.timeLimit(.minutes(1)))
    func mutatedPagesNeverTrap() {
        var random = SeededRandom(seed: 5)
        var found = 0
        for round in 0..<20_000 {
            var bytes = page(&random, size: 512)
            if round.isMultiple(of: 5) {
                bytes.removeLast(Int.random(in: 0...512, using: &random))
            }
            let number: UInt32 = round.isMultiple(of: 2) ? 1 : 2
            guard let tree = BTreePage(bytes, number: number, usableSize: 512) else { continue }
            found += tree.children.count + tree.overflowPages.count
            for cell in 0..<min(tree.cellCount, 8) {
                _ = tree.content(ofCell: cell).flatMap(SchemaEntry.init)
            }
        }
        #expect(found > 1_000)
    }

    @Test(.timeLimit(.minutes(1)))
    func damagedTreesEndTheWalk() throws {
        var random = SeededRandom(seed: 6)
        for _ in 0..<30 {
            var pages: [UInt32: [UInt8]] = [:]
            for number in 1...60 {
                var bytes = page(&random, size: 512)
                // Small page numbers create cycles.
                for offset in stride(from: 0, to: 508, by: 4) where offset % 16 == 8 {
                    bytes[offset] = 0
                    bytes[offset + 1] = 0
                    bytes[offset + 2] = 0
                    bytes[offset + 3] %= 61
                }
                pages[UInt32(number)] = bytes
            }
            var reads = 0
            let limits = PageMap.Limits(pages: 500)
            _ = PageMap.walk(pages: 60, usableSize: 512, limits: limits) { number in
                reads += 1
                return pages[number]
            }
            #expect(reads <= 500)
            var map = PageMap(entries: [], pages: 60)
            var tally = FrameTally()
            let frames = pages.map { FrameTally.Frame(page: $0.key, bytes: $0.value) }
            tally.add(frames, map: &map, usableSize: 512)
            #expect(tally.counts.values.reduce(0, +) == 60)
        }
    }

    @Test func countsSurviveARoundTrip() {
        let counts = TableCounts(
            counts: [
                .init(kind: .table, name: "a\u{1b}"): 5, .init(kind: .unknown, name: ""): 7,
            ],
            framesRead: 12,
            helperNanoseconds: 9
        )
        #expect(TableCounts(counts.bytes) == counts)
        var random = SeededRandom(seed: 8)
        for _ in 0..<20_000 {
            var bytes = counts.bytes
            bytes[Int.random(in: bytes.indices, using: &random)] = .random(
                in: 0...255,
                using: &random
            )
            bytes.removeLast(Int.random(in: 0...4, using: &random))
            _ = TableCounts(bytes)
        }
    }
}
