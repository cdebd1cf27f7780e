import CNCurses

package enum TextEncoding {
    /// Sets the process's `LC_CTYPE` locale and returns whether its character set is UTF-8.
    package static func isUTF8() -> Bool { pg_locale_is_utf8() }
}
