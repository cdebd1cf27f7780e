/// What a colour is for: the names that a theme's `roles` may have.
package enum Role: String, Sendable, CaseIterable {
    /// Behind everything.
    case background
    /// Behind a help overlay and the key bar.
    case raised
    /// Ordinary text.
    case text
    /// Units, hints, what matters less.
    case dim
    /// Borders and axes.
    case border
    /// Titles of panels.
    case title
    /// Keys, the program's name.
    case accent
    /// The empty part of meters and lanes.
    case track
    /// All is well.
    case ok
    /// Worth a look.
    case warning
    /// Failed, or saturated.
    case error
    /// Readers of a pool.
    case reader
    /// The writer, or a queue's connection.
    case writer
    /// Snapshots.
    case snapshot
    /// Those who wait.
    case waiting
    /// The line of `maximumReaderCount`.
    case limit
    /// A connection that runs a statement.
    case running
    /// A connection held by code between its statements.
    case held
    /// A connection that ends its transaction.
    case committing
    /// A connection that waits for a lock of the file.
    case locked
    /// A connection that is being opened.
    case opening
    /// A connection that nobody holds.
    case idle

    /// Where a theme that does not name this role takes it from.
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

    /// Whether it colours text that must be read, so that its contrast matters.
    package var isText: Bool {
        switch self {
        case .background, .raised, .border, .track, .idle: false
        default: true
        }
    }

    /// Its place in a theme's tables: asked for with every piece of text, so not looked up.
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

/// What a colour that changes with a value is for: the names of a theme's `gradients`.
package enum GradientRole: String, Sendable, CaseIterable {
    /// Meters of a load: calm, busy, full.
    case load
    /// Readers in use, from the floor of a chart up.
    case readers
    /// Those who wait, from few to many.
    case waiting
    /// Throughput.
    case throughput
    /// The size of the write-ahead log.
    case wal

    /// The roles whose colours a theme without this gradient takes.
    var fallback: (start: Role, mid: Role, end: Role) {
        switch self {
        case .load: (.ok, .warning, .error)
        case .readers: (.reader, .reader, .reader)
        case .waiting: (.waiting, .waiting, .error)
        case .throughput: (.ok, .ok, .ok)
        case .wal: (.ok, .warning, .error)
        }
    }

    /// Its place in a theme's tables.
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
