/// A key, as a person would name it.
public enum Key: Sendable, Hashable {
    /// A character that was typed.
    case character(Character)
    /// Control and a lower-case letter.
    case control(Character)
    /// F1 to F12.
    case function(Int)
    /// Return or Enter.
    case enter
    /// Escape.
    case escape
    /// Tab.
    case tab
    /// Shift and Tab.
    case backTab
    /// Backspace.
    case backspace
    /// Delete.
    case delete
    /// Arrow up.
    case up
    /// Arrow down.
    case down
    /// Arrow left.
    case left
    /// Arrow right.
    case right
    /// Page up.
    case pageUp
    /// Page down.
    case pageDown
    /// Home.
    case home
    /// End.
    case end
}

/// What a terminal tells a program.
public enum InputEvent: Sendable, Hashable {
    /// A key was pressed.
    case key(Key)
    /// The terminal has a new size.
    case resize(Size)
}
