/// What a key does: declared once, for dispatch, the key bar, the help and the documentation.
package struct KeyBinding<Command: Sendable>: Sendable {
    /// The keys, the one that is shown first.
    package let keys: [Key]
    /// What they ask for.
    package let command: Command
    /// What that is in a word or two, for the key bar.
    package let name: String
    /// What that is in a line, for the help.
    package let help: String
    /// How long it stays in a key bar that gets short; nil when it is never there.
    package let priority: Int?

    /// Creates a binding.
    package init(
        _ keys: [Key],
        _ command: Command,
        name: String,
        help: String,
        priority: Int?
    ) {
        self.keys = keys
        self.command = command
        self.name = name
        self.help = help
        self.priority = priority
    }
}

extension Key {
    /// The key, as it is written on a keyboard.
    package var label: String {
        switch self {
        case .character(" "): "Space"
        case .character(let character): String(character)
        case .control(let character): "^" + character.uppercased()
        case .function(let number): "F\(number)"
        case .enter: "Enter"
        case .escape: "Esc"
        case .tab: "Tab"
        case .backTab: "Shift-Tab"
        case .backspace: "Backspace"
        case .delete: "Del"
        case .up: "Up"
        case .down: "Down"
        case .left: "Left"
        case .right: "Right"
        case .pageUp: "PgUp"
        case .pageDown: "PgDn"
        case .home: "Home"
        case .end: "End"
        }
    }
}
