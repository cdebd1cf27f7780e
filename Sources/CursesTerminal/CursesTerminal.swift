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
