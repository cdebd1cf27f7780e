import TestSupport

@testable import SQLiteEngine

/// Waits until the wait of a nested access is registered.
func awaitNestedWait(_ label: AccessLabel) throws {
    let site = AccessSite(label)
    try eventually {
        AccessGate.nestedWaits.withLock { $0.waits }.contains { $0.site == site }
    }
}

/// Starts a read on a new thread, and runs `inner` inside it when `gate` opens.
///
/// Returns when the thread is inside the read.
func startRead(
    _ reader: any DatabaseReader,
    _ gate: Gate,
    _ inner: @escaping @Sendable () throws -> Void
) throws -> Background<Void> {
    let isInside = Gate()
    let thread = Background {
        try reader.read(as: AccessLabel("outer read")) { _ in
            isInside.open()
            try gate.wait()
            try inner()
        }
    }
    try isInside.wait()
    return thread
}

/// Starts a write on a new thread, and runs `inner` inside it when `gate` opens.
///
/// Returns when the thread is inside the write.
func startWrite(
    _ writer: any DatabaseWriter,
    _ gate: Gate,
    _ inner: @escaping @Sendable () throws -> Void
) throws -> Background<Void> {
    let isInside = Gate()
    let thread = Background {
        try writer.write(as: AccessLabel("outer write")) { _ in
            isInside.open()
            try gate.wait()
            try inner()
        }
    }
    try isInside.wait()
    return thread
}
