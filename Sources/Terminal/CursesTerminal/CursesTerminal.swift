import CNCurses
import TerminalUI

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The process's terminal, controlled through ncurses.
///
/// A process can open only one terminal. Only the thread that opened the terminal may use it.
/// ``close()`` restores the terminal. After a signal, a trap, or a call to `exit`, a handler
/// restores the terminal by writing a fixed byte sequence.
package final class CursesTerminal: Terminal {
    package private(set) var size: Size
    package let depth: ColorDepth

    private let signalDescriptor: Int32
    private var pairs: ColorPairs
    private var displayedSurface: Surface?
    private var pendingEvents: [TerminalEvent] = []
    private var mouse = MouseDecoder()
    private var escape = EscapeSequence()
    private var isOpen = true

    /// Opens the terminal on standard input and output.
    ///
    /// - Parameters:
    ///   - environment: The environment variables of the process, such as `TERM`, `COLORTERM`, and
    ///     `NO_COLOR`.
    ///   - usesMouse: Whether the program receives mouse events. If `false`, the user can select
    ///     text in the terminal with the mouse.
    /// - Throws: ``TerminalError``, which suggests an alternative command.
    package init(
        environment: [String: String],
        usesMouse: Bool = true
    ) throws(TerminalError) {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { throw .notATerminal }
        _ = pg_locale_is_utf8()
        let profile = try TerminalProfile(environment: environment) { pg_terminal_is_known($0) }
        // Install these handlers before ncurses installs its own. Without a handler for SIGTSTP,
        // ncurses installs one that ignores the signal during writes and loses a ^Z
        // (_nc_signal_handler in lib_tstp.c of ncurses).
        signalDescriptor = pg_signals_install()
        guard signalDescriptor >= 0 else { throw .refused(name: profile.name) }
        var colors = pg_screen_colors()
        guard pg_screen_open(profile.name, profile.usesColors, usesMouse, &colors) else {
            pg_signals_remove()
            throw .refused(name: profile.name)
        }
        pairs = ColorPairs(
            capabilities: ColorPairs.Capabilities(
                colors: Int(colors.colors),
                pairs: Int(colors.pairs),
                isDirect: colors.is_direct,
                hasDefaultColors: colors.has_default_colors
            ),
            define: { pg_screen_define_pair($0, $1, $2) }
        )
        depth = pairs.depth
        size = Self.currentSize()
    }

    deinit { close() }

    package func close() {
        guard isOpen else { return }
        isOpen = false
        pg_screen_close()
        pg_signals_remove()
    }

    /// The number of bytes that the calling thread has written to any file, or `nil` if the system
    /// does not count them.
    package var bytesWritten: UInt64? { UInt64(exactly: pg_thread_bytes_written()) }

    package func copy(_ text: String) -> Bool {
        guard isOpen, pg_screen_speaks_xterm(), let bytes = ClipboardSequence.bytes(for: text)
        else { return false }
        return bytes.withUnsafeBytes { buffer in
            pg_screen_send(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
        }
    }

    private static func currentSize() -> Size {
        var columns: Int32 = 80
        var rows: Int32 = 24
        _ = pg_terminal_size(&columns, &rows)
        return Size(width: Int(columns), height: Int(rows))
    }
}

// MARK: - Drawing

extension CursesTerminal {
    package func draw(_ surface: Surface) {
        guard isOpen else { return }
        if pairs.isExhausted {
            pairs.removeAll()
            pg_screen_forget_pairs()
            displayedSurface = nil
        }
        for change in surface.changes(from: displayedSurface) {
            put(change.cell, at: change.point, on: surface)
        }
        displayedSurface = surface
        pg_screen_flush()
    }

    private func put(_ cell: Cell, at point: Point, on surface: Surface) {
        // Drawing the first half of a wide character also draws its second half.
        guard !cell.character.isEmpty, point.x < size.width, point.y < size.height else { return }
        let isWide =
            point.x + 1 < surface.size.width
            && surface[point.x + 1, point.y].character.isEmpty
        let choice = pairs.choice(for: cell.style)
        var attributes = UInt32(cell.style.attributes.rawValue)
        if choice.isBrightened { attributes |= UInt32(PG_BOLD) }
        // Send the first scalar and as many combining marks as the C function accepts.
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 5) { scalars in
            var count = 0
            for scalar in cell.character.unicodeScalars where count < scalars.count {
                scalars[count] = scalar.value
                count += 1
            }
            pg_screen_put(
                Int32(point.x),
                Int32(point.y),
                scalars.baseAddress,
                Int32(count),
                isWide ? 2 : 1,
                attributes,
                choice.pair
            )
        }
    }
}

// MARK: - Events

extension CursesTerminal {
    package func nextEvent(waitingAtMost nanoseconds: UInt64) -> TerminalEvent? {
        guard isOpen else { return nil }
        if pendingEvents.isEmpty { collect(waitingAtMost: nanoseconds) }
        return pendingEvents.isEmpty ? nil : pendingEvents.removeFirst()
    }

    private func collect(waitingAtMost nanoseconds: UInt64) {
        // Keys that ncurses has already buffered do not make the descriptor readable.
        collectKeys()
        var descriptors = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: signalDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        // Round up. Otherwise, the wait could end too early and the caller would have to repeat it.
        let milliseconds = pendingEvents.isEmpty ? min(nanoseconds / 1_000_000 + 1, 60_000) : 0
        guard poll(&descriptors, 2, nanoseconds == 0 ? 0 : Int32(milliseconds)) > 0 else { return }
        if descriptors[1].revents != 0 { collectSignals() }
        if descriptors[0].revents & Int16(POLLIN) != 0 {
            let previousCount = pendingEvents.count
            collectKeys()
            // A readable descriptor without a key means that the terminal is gone or the key is
            // unknown.
            if pendingEvents.count == previousCount, descriptors[0].revents & Int16(POLLHUP) != 0 {
                pendingEvents.append(.end(signal: SIGHUP))
            }
        } else if descriptors[0].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
            pendingEvents.append(.end(signal: SIGHUP))
        }
    }

    private func collectKeys() {
        var code: UInt32 = 0
        while true {
            let key: Key?
            switch Int(pg_key_next(&code)) {
            case PG_KEY_MOUSE_SGR:
                mouse.begin(.decimal)
                continue
            case PG_KEY_MOUSE_X10:
                mouse.begin(.characters)
                continue
            case PG_KEY_SCALAR where mouse.isReading:
                if let event = mouse.handle(code) { pendingEvents.append(.input(.mouse(event))) }
                continue
            case PG_KEY_SCALAR:
                pendingEvents += escape.handle(code).map { .input(.key($0)) }
                continue
            case PG_KEY_SPECIAL: key = KeyDecoder.key(special: code)
            case PG_KEY_OTHER: key = nil
            default:
                // No more bytes follow, so the Esc key was pressed.
                pendingEvents += escape.end().map { .input(.key($0)) }
                return
            }
            pendingEvents += escape.end().map { .input(.key($0)) }
            if let key { pendingEvents.append(.input(.key(key))) }
        }
    }

    /// Collects all pending signals.
    ///
    /// Repeated signals produce one event.
    private func collectSignals() {
        var isResized = false
        var isSuspensionRequested = false
        var isContinued = false
        collecting: while true {
            switch pg_signals_next(signalDescriptor) {
            case 0: break collecting
            case SIGWINCH: isResized = true
            case SIGTSTP: isSuspensionRequested = true
            case SIGCONT: isContinued = true
            case let signal: pendingEvents.append(.end(signal: signal))
            }
        }
        if isContinued {
            // The terminal could not be restored before SIGSTOP, because SIGSTOP cannot be handled.
            resumeScreen()
            pendingEvents.append(.continued)
        }
        if isResized || isContinued { resize() }
        if isSuspensionRequested { pendingEvents.append(.suspend) }
    }

    package func suspend() {
        guard isOpen else { return }
        pg_screen_suspend()
        pg_signals_stop_process()
        // Discard additional ^Z and resize signals.
        var endEvents: [TerminalEvent] = []
        while case let signal = pg_signals_next(signalDescriptor), signal != 0 {
            if [SIGINT, SIGTERM, SIGHUP].contains(signal) {
                endEvents.append(.end(signal: signal))
            }
        }
        resumeScreen()
        resize()
        pendingEvents += endEvents
    }

    private func resumeScreen() {
        pg_screen_resume()
        displayedSurface = nil
    }

    private func resize() {
        size = Self.currentSize()
        pg_screen_resize(Int32(size.width), Int32(size.height))
        displayedSurface = nil
        pendingEvents.append(.input(.resize(size)))
    }
}

package enum TerminalEvent: Sendable, Hashable {
    /// A key, a mouse event, or a new size.
    case input(InputEvent)
    /// A request to suspend the program (^Z).
    ///
    /// See ``Terminal/suspend()``.
    case suspend
    /// The program continued after a `SIGSTOP`.
    case continued
    /// A request to end the program: `SIGINT`, `SIGTERM`, or `SIGHUP`.
    ///
    /// After `SIGHUP`, the terminal may be gone.
    case end(signal: Int32)
}

/// A terminal for drawing and input.
///
/// Only one thread may use a terminal.
package protocol Terminal: AnyObject {
    var size: Size { get }

    var depth: ColorDepth { get }

    /// A running count of the bytes written, or `nil` if bytes are not counted.
    ///
    /// Only the difference between two values is meaningful.
    var bytesWritten: UInt64? { get }

    /// Copies text to the user's clipboard.
    ///
    /// - Returns: `true` if the text was sent, or `false` if the text is too long or the terminal
    ///   does not support a clipboard.
    func copy(_ text: String) -> Bool

    /// Displays a surface by sending only the cells that changed since the previous surface.
    func draw(_ surface: Surface)

    /// Waits for the next event.
    ///
    /// - Parameter nanoseconds: The timeout, or 0 to return without waiting.
    /// - Returns: The event, or `nil` after the timeout.
    func nextEvent(waitingAtMost nanoseconds: UInt64) -> TerminalEvent?

    /// Restores the terminal, suspends the process, and reopens the terminal when the process
    /// continues.
    ///
    /// If no shell with job control is available, this method returns immediately, because nothing
    /// could resume the process.
    func suspend()

    /// Restores the terminal.
    ///
    /// Later calls have no effect.
    func close()
}

/// The terminfo entry and the color setting for a terminal.
struct TerminalProfile: Equatable {
    var name: String
    var usesColors: Bool

    /// Selects the settings for a terminal.
    ///
    /// Direct color requires both `COLORTERM` and a direct-color entry, because the usual entries
    /// of most terminals describe only 256 colors.
    ///
    /// - Parameters:
    ///   - environment: The process's environment variables.
    ///   - isKnown: A closure that returns whether the terminfo database has an entry with the
    ///     given name.
    /// - Throws: ``TerminalError`` if the terminal is unusable.
    init(environment: [String: String], isKnown: (String) -> Bool) throws(TerminalError) {
        let terminal = environment["TERM"] ?? ""
        guard !terminal.isEmpty, terminal != "dumb", terminal != "unknown" else {
            throw .cannotDraw(name: terminal)
        }
        guard isKnown(terminal) else { throw .unknown(name: terminal) }
        name = terminal
        // According to https://no-color.org, any nonempty value disables colors.
        usesColors = (environment["NO_COLOR"] ?? "").isEmpty
        let claim = environment["COLORTERM"]?.lowercased()
        if usesColors, claim == "truecolor" || claim == "24bit" {
            name = Self.directNames(of: terminal).first(where: isKnown) ?? terminal
        }
    }

    /// Returns the possible names of a terminal's direct-color entry, most likely first.
    static func directNames(of terminal: String) -> [String] {
        if terminal.hasSuffix("-direct") { return [terminal] }
        let suffix = "-256color"
        let family =
            terminal.hasSuffix(suffix) ? String(terminal.dropLast(suffix.count)) : terminal
        var names = [family + "-direct"]
        // The direct-color entry of xterm-kitty is kitty-direct.
        if family.hasPrefix("xterm-") { names.append(family.dropFirst(6) + "-direct") }
        return names
    }
}

/// An error that prevents the dashboard from using the terminal.
package enum TerminalError: Error, Equatable, CustomStringConvertible {
    /// Standard input or standard output is a file or a pipe.
    case notATerminal
    /// `TERM` is not set, or names a terminal that cannot position text.
    case cannotDraw(name: String)
    /// The terminfo database has no entry for the terminal.
    case unknown(name: String)
    /// ncurses rejected the terminal.
    case refused(name: String)

    package var description: String { text(alternative: "poolgauge run reads-during-import") }

    /// Describes the error and suggests `command`, which must not require a terminal.
    package func text(alternative command: String) -> String {
        let alternative = "run without the dashboard: \(command)"
        return switch self {
        case .notATerminal:
            "the dashboard needs a terminal, but standard input or output is not a terminal; "
                + alternative
        case .cannotDraw(let name) where name.isEmpty:
            "TERM is not set, so the dashboard cannot draw; set it, for example, to "
                + "xterm-256color, or \(alternative)"
        case .cannotDraw(let name):
            "TERM=\(name): this terminal cannot position text, which the dashboard requires; "
                + alternative
        case .unknown(let name):
            "TERM=\(name): the terminfo database has no such entry; "
                + "try TERM=xterm-256color, install Debian's ncurses-term, or \(alternative)"
        case .refused(let name):
            "TERM=\(name): ncurses cannot use this terminal; \(alternative)"
        }
    }
}

/// The escape sequence that copies text to the user's clipboard.
///
/// OSC 52 (<https://invisible-island.net/xterm/ctlseqs/ctlseqs.html>) sends the text as Base64,
/// which contains no control characters. tmux forwards it with `set -g set-clipboard on`.
enum ClipboardSequence {
    /// The maximum length of the text, in bytes.
    ///
    /// xterm rejects sequences with 100,000 or more Base64 characters. Other terminals have lower
    /// limits.
    static let maximumLength = 48_000

    /// Returns the sequence for `text`, or `nil` if the text is longer than ``maximumLength``.
    static func bytes(for text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        guard bytes.count <= maximumLength else { return nil }
        return Array("\u{1B}]52;c;".utf8) + base64(bytes) + [0x07]
    }

    /// Encodes bytes as Base64 (RFC 4648, section 4).
    static func base64(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let padding = UInt8(ascii: "=")
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(0) { $0 << 8 | Int($1) }
            bits <<= 8 * (3 - group.count)
            for index in 0..<4 {
                let digit = digits[bits >> (18 - 6 * index) & 63]
                text.append(index <= group.count ? digit : padding)
            }
        }
        return text
    }
}

package enum TextEncoding {
    /// Sets the process's `LC_CTYPE` locale and returns whether its character set is UTF-8.
    package static func setLocale() -> Bool { pg_locale_is_utf8() }
}
