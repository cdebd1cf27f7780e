/// The use of a color in a theme.
///
/// Each raw value is a key in the theme's `roles`.
package enum Role: String, Sendable, CaseIterable {
    /// The background of the screen.
    case background
    /// The background of a help overlay and the key bar.
    case raised
    case text
    /// Units, hints, and other secondary text.
    case dim
    /// Borders and axes.
    case border
    case title
    /// Keys and the program's name.
    case accent
    /// The empty part of meters and lanes.
    case track
    /// A state without problems.
    case ok
    case warning
    /// A failure or saturation.
    case error
    /// A pool's readers.
    case reader
    /// The writer, or a queue's connection.
    case writer
    case snapshot
    case waiting
    /// The line for `maximumReaderCount`.
    case limit
    /// A connection that is running a statement.
    case running
    /// A held connection that is not running a statement.
    case held
    /// A connection that is ending its transaction.
    case committing
    /// A connection that is waiting for a file lock.
    case locked
    /// A connection that is being opened.
    case opening
    /// A connection that has no holder.
    case idle

    /// The role to use if a theme omits this role.
    var fallback: Role? {
        switch self {
        case .background, .text: nil
        case .raised: .background
        case .dim, .title, .accent, .border: .text
        case .track, .idle: .dim
        case .ok, .reader, .running: .accent
        case .warning, .error: .text
        case .writer, .held, .waiting: .warning
        case .snapshot, .committing, .opening: .accent
        case .limit, .locked: .error
        }
    }

    /// Whether the role is used for text, which requires sufficient contrast.
    package var isText: Bool {
        switch self {
        case .background, .raised, .border, .track, .idle: false
        default: true
        }
    }

    /// The index in a theme's tables.
    ///
    /// Access to an array is faster than a lookup in a dictionary.
    var index: Int {
        switch self {
        case .background: 0
        case .raised: 1
        case .text: 2
        case .dim: 3
        case .border: 4
        case .title: 5
        case .accent: 6
        case .track: 7
        case .ok: 8
        case .warning: 9
        case .error: 10
        case .reader: 11
        case .writer: 12
        case .snapshot: 13
        case .waiting: 14
        case .limit: 15
        case .running: 16
        case .held: 17
        case .committing: 18
        case .locked: 19
        case .opening: 20
        case .idle: 21
        }
    }
}

/// The use of a gradient in a theme.
///
/// Each raw value is a key in the theme's `gradients`.
package enum GradientRole: String, Sendable, CaseIterable {
    /// Load meters, from low to medium to full.
    case load
    /// Readers in use, from the bottom to the top of a chart.
    case readers
    /// Waiters, from few to many.
    case waiting
    case throughput
    /// The size of the write-ahead log.
    case wal

    /// The roles whose colors form the gradient if a theme omits it.
    var fallback: (start: Role, mid: Role, end: Role) {
        switch self {
        case .load: (.ok, .warning, .error)
        case .readers: (.reader, .reader, .reader)
        case .waiting: (.waiting, .waiting, .error)
        case .throughput: (.ok, .ok, .ok)
        case .wal: (.ok, .warning, .error)
        }
    }

    var index: Int {
        switch self {
        case .load: 0
        case .readers: 1
        case .waiting: 2
        case .throughput: 3
        case .wal: 4
        }
    }
}
