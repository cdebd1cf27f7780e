import TerminalUI

/// A condition that the user can search for in a replay.
package enum ReplayTarget: String, Sendable, CaseIterable {
    case saturation
    case wait
    case log
    case busy
}

/// A command that only a replay supports.
package enum ReplayCommand: Hashable, Sendable {
    case play
    case stepBack
    case stepForward
    case slower
    case faster
    case start
    case end
    case seek
    case next(ReplayTarget)
    case previous(ReplayTarget)
}

package typealias ReplayKeys = KeyTable<ReplayCommand>

extension KeyTable<ReplayCommand> {
    package static let standard = ReplayKeys(bindings: general + search)

    private static let general: [KeyBinding<ReplayCommand>] = [
        KeyBinding(
            [.character(" ")],
            .play,
            name: "play or pause",
            help: "play or pause the recording",
            priority: 30
        ),
        KeyBinding(
            [.character("["), .character(",")],
            .stepBack,
            name: "back",
            help: "pause, and go back one sample",
            priority: 24
        ),
        KeyBinding(
            [.character("]"), .character(".")],
            .stepForward,
            name: "forward",
            help: "pause, and go forward one sample",
            priority: 23
        ),
        KeyBinding(
            [.character("<")],
            .slower,
            name: "slower",
            help: "play more slowly, down to 1x",
            priority: 26
        ),
        KeyBinding(
            [.character(">")],
            .faster,
            name: "faster",
            help: "play faster, up to 600x",
            priority: 27
        ),
        KeyBinding(
            [.character("(")],
            .start,
            name: "start",
            help: "go to the start of the recording",
            priority: 21
        ),
        KeyBinding(
            [.character(")")],
            .end,
            name: "end",
            help: "go to the end of the recording",
            priority: 20
        ),
        KeyBinding(
            [.character("S")],
            .seek,
            name: "go to time",
            help: "go to a time in the recording",
            priority: 28
        ),
    ]

    private static let search: [KeyBinding<ReplayCommand>] = ReplayTarget.allCases.flatMap {
        target -> [KeyBinding<ReplayCommand>] in
        [
            KeyBinding(
                [.character(target.key)],
                .next(target),
                name: target.name,
                help: "next " + target.help,
                priority: 18
            ),
            KeyBinding(
                [.character(Character(target.key.uppercased()))],
                .previous(target),
                name: "previous " + target.name,
                help: "previous " + target.help
            ),
        ]
    }
}

extension ReplayTarget {
    fileprivate var key: Character {
        switch self {
        case .saturation: "u"
        case .wait: "w"
        case .log: "l"
        case .busy: "b"
        }
    }

    package var name: String {
        switch self {
        case .saturation: "saturation"
        case .wait: "wait"
        case .log: "large log"
        case .busy: "busy"
        }
    }

    fileprivate var help: String {
        switch self {
        case .saturation: "high saturation"
        case .wait: "wait of at least --wait"
        case .log: "log of at least --wal"
        case .busy: "SQLITE_BUSY"
        }
    }
}

extension KeyTable {
    /// Returns a copy without the commands that match `isRemoved` and without the keys of a replay.
    func replayTable(removing isRemoved: (Command) -> Bool) -> KeyTable {
        let replay = ReplayKeys.standard
        return KeyTable(
            bindings: bindings.filter { !isRemoved($0.command) }.map { binding in
                KeyBinding(
                    binding.keys.filter { replay.command(for: $0) == nil },
                    binding.command,
                    name: binding.name,
                    help: binding.help,
                    priority: binding.priority
                )
            }
        )
    }
}

extension KeyTable<DashboardCommand> {
    /// The keys for viewing a recording, without the keys that control a run or the time.
    package var forReplay: DashboardKeys { replayTable { $0.isReplacedInReplay } }
}

extension DashboardCommand {
    /// Whether the command controls a live run.
    package var controlsRun: Bool { purpose == .actions }

    /// The help text in a replay, if it differs from the help text for a live run.
    ///
    /// A replay has no load, so its settings cannot change.
    var helpForReplay: String? {
        switch self {
        case .left: "scroll left"
        case .right: "scroll right"
        case .zoomIn: "zoom in"
        case .zoomOut: "zoom out"
        case .back: "close, or return to the position"
        case .quit: "quit"
        default: nil
        }
    }

    /// Whether a replay has another command in its place, or none.
    var isReplacedInReplay: Bool {
        switch self {
        case .pause, .stepBack, .stepForward, .seek, .slower, .faster, .record: true
        default: controlsRun
        }
    }
}
