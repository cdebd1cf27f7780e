import Foundation

@testable import WorkloadEngine

/// A real run that version 0.1.0 recorded: a pool of 2 readers on 2 processors of Linux.
///
/// It is never recorded anew: where a change makes tests of it fail, it makes files unreadable that
/// people have.
enum KeptRecording {
    /// The bytes of its JSON.
    static func data() throws -> Data {
        try Data(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent()
                .appendingPathComponent("Comparison/WhatIf/Recorded/small-load.json")
        )
    }

    /// The result that is in it.
    static func result() throws -> RunResult {
        try WhatIf.decode(data(), file: "small-load.json")
    }
}
