/// A key.
package enum Key: Sendable, Hashable {
    /// A typed character.
    case character(Character)
    /// Control with a lowercase letter.
    case control(Character)
    /// F1 to F12.
    case function(Int)
    /// Return or Enter.
    case enter
    /// Escape.
    case escape
    /// Tab.
    case tab
    /// Shift-Tab.
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

/// A mouse event in a cell.
package struct MouseEvent: Sendable, Hashable {
    /// The action of a mouse event.
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

    /// The action.
    package var action: Action
    /// The cell of the event.
    package var position: Point

    /// Creates an event.
    package init(_ action: Action, at position: Point) {
        self.action = action
        self.position = position
    }
}

/// An input event from a terminal.
package enum InputEvent: Sendable, Hashable {
    /// A key was pressed.
    case key(Key)
    /// The user moved or clicked the mouse.
    case mouse(MouseEvent)
    /// The terminal has a new size.
    case resize(Size)
}
