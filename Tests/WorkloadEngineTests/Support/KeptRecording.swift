import Foundation

@testable import WorkloadEngine

/// A real run that version 0.1.0 recorded: a pool of 2 readers on 2 processors of Linux.
///
/// Do not record it again: a change that makes its tests fail makes existing files of users
/// unreadable.
enum KeptRecording {
    /// The bytes of its JSON.
    static func data() throws -> Data {
        try Data(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent()
                .appendingPathComponent("Comparison/WhatIf/Recorded/small-load.json")
        )
    }

    /// The decoded result.
    static func result() throws -> RunResult {
        try WhatIf.decode(data(), file: "small-load.json")
    }
}
