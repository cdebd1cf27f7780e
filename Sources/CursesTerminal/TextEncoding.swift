import CNCurses

/// The character encoding of the terminal.
package enum TextEncoding {
    /// Whether the locale's character set is UTF-8; sets the process's `LC_CTYPE`.
    package static func isUTF8() -> Bool { pg_locale_is_utf8() }
}
