import CNCurses

package enum TextEncoding {
    /// Sets the process's `LC_CTYPE` locale and returns whether its character set is UTF-8.
    package static func setLocale() -> Bool { pg_locale_is_utf8() }
}
