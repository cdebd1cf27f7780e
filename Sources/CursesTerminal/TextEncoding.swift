import CNCurses

/// The terminal's character encoding.
package enum TextEncoding {
    /// Returns whether the locale's character set is UTF-8, and sets the process's `LC_CTYPE`.
    package static func isUTF8() -> Bool { pg_locale_is_utf8() }
}
