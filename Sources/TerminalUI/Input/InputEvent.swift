/// A key press, as a terminal reports it.
package enum Key: Sendable, Hashable {
    /// A typed character.
    case character(Character)
    /// Control with a lowercase letter.
    case control(Character)
    /// F1 to F12.
    case function(Int)
    /// Return or Enter.
    case enter
    case escape
    case tab
    /// Shift-Tab.
    case backTab
    case backspace
    case delete
    case up
    case down
    case left
    case right
    case pageUp
    case pageDown
    case home
    case end
}

/// A mouse event in a cell.
package struct MouseEvent: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        /// The first button was pressed.
        case press
        /// The mouse moved while the first button was pressed.
        case drag
        /// The first button was released.
        case release
        /// The wheel turned away from the user.
        case wheelUp
        /// The wheel turned toward the user.
        case wheelDown
    }

    package var action: Action
    /// The cell in which the event occurred.
    package var position: Point

    package init(_ action: Action, at position: Point) {
        self.action = action
        self.position = position
    }
}

/// An input event from a terminal.
package enum InputEvent: Sendable, Hashable {
    /// A key was pressed.
    case key(Key)
    /// The user pressed or released a mouse button, dragged, or turned the wheel.
    case mouse(MouseEvent)
    /// The terminal has a new size.
    case resize(Size)
}
