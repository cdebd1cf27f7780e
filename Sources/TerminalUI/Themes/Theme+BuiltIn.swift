extension Theme {
    /// The themes of the folder `themes/`, which are part of the library; the first is the default.
    ///
    /// A test decodes each of them, so that none of them can be missing here.
    package static let builtIn: [Theme] = sources.compactMap { name, bytes in
        try? ThemeDecoder.decode(yaml: String(decoding: bytes, as: UTF8.self), file: name)
    }

    /// The default theme: without colours, should its file be wrong.
    package static let standard =
        builtIn.first ?? Theme(name: "plain", summary: "", roles: [:], gradients: [:])

    /// The files' names and bytes, in the order in which `t` goes through them.
    static let sources: [(name: String, bytes: [UInt8])] = [
        ("dark.yaml", PackageResources.dark_yaml),
        ("light.yaml", PackageResources.light_yaml),
        ("high-contrast.yaml", PackageResources.high_contrast_yaml),
        ("deuteranopia.yaml", PackageResources.deuteranopia_yaml),
        ("protanopia.yaml", PackageResources.protanopia_yaml),
        ("monochrome.yaml", PackageResources.monochrome_yaml),
        ("catppuccin-mocha.yaml", PackageResources.catppuccin_mocha_yaml),
        ("dracula.yaml", PackageResources.dracula_yaml),
        ("gruvbox-dark.yaml", PackageResources.gruvbox_dark_yaml),
        ("tokyo-night.yaml", PackageResources.tokyo_night_yaml),
    ]

    /// The built-in theme of this name.
    package static func named(_ name: String) throws(UnknownThemeError) -> Theme {
        guard let theme = builtIn.first(where: { $0.name == name }) else {
            throw UnknownThemeError(name: name, known: builtIn.map(\.name))
        }
        return theme
    }

    /// The file of a built-in theme; nil for a name that none has.
    package static func source(named name: String) -> String? {
        sources.first { $0.name == name + ".yaml" }
            .map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// The theme that a file's text describes.
    ///
    /// - Parameters:
    ///   - yaml: The file's text.
    ///   - file: Its path, for errors; its last part names a theme whose text does not.
    /// - Returns: The theme.
    /// - Throws: Every mistake of the text, with its place.
    package static func parse(yaml: String, file: String) throws(ThemeError) -> Theme {
        try ThemeDecoder.decode(yaml: yaml, file: file)
    }
}
