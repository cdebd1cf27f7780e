import Foundation
import SQLiteEngine

@testable import Recording

extension FuzzTarget {
    /// A recording file.
    static let recording: FuzzTarget = {
        let template = RecordingBytes.template
        return FuzzTarget(
            name: "recording",
            maximumLength: template.count + 4_096,
            seeds: [template]
        ) { bytes in
            try RecordingBytes.withFile(bytes) { path in
                try expectMessage(with: path) { try RecordingBytes.read(path) }
            }
        }
    }()

    /// The rows of a recording, with values that no recorder writes.
    static let recordedRows: FuzzTarget = {
        let template = RecordingBytes.template
        return FuzzTarget(
            name: "recorded-rows",
            maximumLength: 1_024,
            seeds: [[2, 0, 1, 0, 12, 0, 2], [4, 0, 1, 0, 13, 0, 14]]
        ) { bytes in
            try RecordingBytes.withFile(template) { path in
                try RecordingBytes.change(path, InputReader(bytes))
                try expectMessage(with: path) { try RecordingBytes.read(path) }
            }
        }
    }()

    /// The difference between two samples.
    static let textDelta: FuzzTarget = {
        let base = Array("{\"a\":1000000,\"b\":\"abcdefgh\"}".utf8)
        let text = Array("{\"a\":1000001,\"b\":\"abcdefgh\"}".utf8)
        let seed = [UInt8(base.count)] + base + TextDelta.encode(text, from: base)
        return FuzzTarget(name: "text-delta", seeds: [seed]) { bytes in
            var reader = InputReader(bytes)
            let base = reader.bytes(Int(reader.byte()))
            let delta = reader.remaining()
            _ = TextDelta.decode(delta, from: base)
            let encoded = TextDelta.encode(delta, from: base)
            guard TextDelta.decode(encoded, from: base) == delta else {
                throw WrongResult("the decoded text differs from the encoded text")
            }
        }
    }()
}
