import Foundation

/// The number of mutations in each test.
///
/// The environment variable `POOLGAUGE_MUTATIONS` overrides it.
let mutationCount =
    ProcessInfo.processInfo.environment["POOLGAUGE_MUTATIONS"].flatMap(Int.init) ?? 100_000

/// Valid requests with random changes.
enum MutatedRequest {
    private static let seeds = [
        "GET /status HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n",
        "POST /checkpoint HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n0123456789ab",
        "GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    ].map { Array($0.utf8) }

    static func next(_ random: inout SeededRandom) -> [UInt8] {
        let index = Int.random(in: 0..<seeds.count, using: &random)
        return random.mutated(seeds[index])
    }
}

/// A seeded random number generator (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Returns a copy of the bytes with one to four random changes.
    mutating func mutated(_ original: [UInt8]) -> [UInt8] {
        let interesting = Array("\r\n :/0\0\u{7F}".utf8) + [0xFF, 0x80]
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &self)
            case 1: bytes[index] = interesting[index % interesting.count]
            case 2: bytes.remove(at: index)
            case 3: bytes.removeLast(bytes.count - index)
            default: bytes.insert(contentsOf: bytes[..<index], at: index)
            }
        }
        return bytes
    }
}
