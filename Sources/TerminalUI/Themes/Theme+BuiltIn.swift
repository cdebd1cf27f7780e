extension Theme {
    /// The themes in the folder `themes/`, which are part of the library; the first is the default.
    ///
    /// A test decodes each file, so invalid files cannot go unnoticed.
    package static let builtIn: [Theme] = sources.compactMap { name, bytes in
        try? ThemeDecoder.decode(yaml: String(decoding: bytes, as: UTF8.self), file: name)
    }

    /// The default theme; a theme without colours if its file is invalid.
    package static let standard =
        builtIn.first ?? Theme(name: "plain", summary: "", roles: [:], gradients: [:])

    /// The names and bytes of the files, in the order of the `t` key.
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

    /// Returns the built-in theme with a name.
    package static func named(_ name: String) throws(UnknownThemeError) -> Theme {
        guard let theme = builtIn.first(where: { $0.name == name }) else {
            throw UnknownThemeError(name: name, known: builtIn.map(\.name))
        }
        return theme
    }

    /// Returns the text of a built-in theme's file; nil for an unknown name.
    package static func source(named name: String) -> String? {
        sources.first { $0.name == name + ".yaml" }
            .map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// Parses a theme.
    ///
    /// - Parameters:
    ///   - yaml: The file's text.
    ///   - file: The file's path, for errors; its last component names a theme without a name.
    /// - Returns: The theme.
    /// - Throws: All errors of the text, with their positions.
    package static func parse(yaml: String, file: String) throws(ThemeError) -> Theme {
        try ThemeDecoder.decode(yaml: yaml, file: file)
    }
}
