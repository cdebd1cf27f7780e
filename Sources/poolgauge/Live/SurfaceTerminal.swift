import CursesTerminal
import Dispatch
import Synchronization
import TerminalUI

/// A terminal without a screen, which keeps the last surface for a picture.
final class SurfaceTerminal: Terminal {
    let size: Size
    let depth = ColorDepth.direct
    private(set) var surface: Surface
    private let interruptFlag = Flag()

    /// A flag that the signal queue sets and the display's thread waits for.
    private final class Flag: Sendable {
        let isSet = Atomic<Bool>(false)
        let wakeUp = DispatchSemaphore(value: 0)
    }

    init(size: Size) {
        self.size = size
        surface = Surface(size: size)
    }

    /// A closure that requests the end of the loop.
    ///
    /// Any thread can call this closure.
    var interrupt: @Sendable () -> Void {
        let interruptFlag = interruptFlag
        return {
            interruptFlag.isSet.store(true, ordering: .releasing)
            interruptFlag.wakeUp.signal()
        }
    }

    func draw(_ surface: Surface) { self.surface = surface }

    func nextEvent(waitingAtMost nanoseconds: UInt64) -> TerminalEvent? {
        if !interruptFlag.isSet.load(ordering: .acquiring) {
            let limit = Int(min(nanoseconds, 60_000_000_000))
            _ = interruptFlag.wakeUp.wait(timeout: .now() + .nanoseconds(limit))
        }
        return interruptFlag.isSet.load(ordering: .acquiring) ? .end(signal: 2) : nil
    }

    var bytesWritten: UInt64? { nil }

    func copy(_ text: String) -> Bool { false }

    func suspend() {}

    func close() {}
}
