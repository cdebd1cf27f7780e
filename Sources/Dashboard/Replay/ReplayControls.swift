import TerminalUI

/// The state of a replay's controls: the clock, the prompt for a time, and the last message.
package struct ReplayControls: Sendable {
    /// The result of a key press, for the owner of the recording.
    package enum Outcome: Sendable, Equatable {
        /// The key does not belong to the replay.
        case unused
        /// The key was handled. The position may have changed.
        case handled
        /// The user asked to move by a number of samples.
        case step(Int)
        /// The user asked to search for a condition.
        case find(ReplayTarget, isForward: Bool)
        /// The user entered a time.
        case seek(String)
    }

    package var clock: ReplayClock
    package let keys: ReplayKeys
    /// The last message, which the next key press removes.
    package var message: (text: String, isWarning: Bool)?
    private(set) var prompt: PromptState?

    package init(clock: ReplayClock, keys: ReplayKeys = .standard) {
        self.clock = clock
        self.keys = keys
    }

    package mutating func handle(_ key: Key) -> Outcome {
        message = nil
        if prompt != nil { return handleInPrompt(key) }
        switch keys.command(for: key) {
        case nil: return .unused
        case .play: clock.toggle()
        case .slower: clock.changeSpeed(faster: false)
        case .faster: clock.changeSpeed(faster: true)
        case .start: clock.seek(to: clock.range.lowerBound)
        case .end:
            clock.pause()
            clock.seek(to: clock.range.upperBound)
        case .seek: prompt = PromptState(purpose: .seek)
        case .stepBack:
            clock.pause()
            return .step(-1)
        case .stepForward:
            clock.pause()
            return .step(1)
        case .next(let target):
            clock.pause()
            return .find(target, isForward: true)
        case .previous(let target):
            clock.pause()
            return .find(target, isForward: false)
        }
        return .handled
    }

    /// Shows a problem with the entered time, and keeps the prompt open.
    package mutating func rejectTime(_ text: String, problem: String) {
        prompt = PromptState(purpose: .seek, text: text, problem: problem)
    }

    private mutating func handleInPrompt(_ key: Key) -> Outcome {
        guard var state = prompt else { return .handled }
        switch state.handle(key) {
        case .edited: prompt = state
        case .canceled: prompt = nil
        case .entered:
            prompt = nil
            let text = state.text.filter { $0 != " " }
            return text.isEmpty ? .handled : .seek(text)
        }
        return .handled
    }
}
