extension Theme {
    /// The themes in the `themes/` folder, which are part of the binary.
    ///
    /// The first theme is the default.
    ///
    /// Invalid files are skipped. A test verifies that each file is valid.
    package static let builtIn: [Theme] = sources.compactMap { name, bytes in
        try? ThemeDecoder.decode(yaml: String(decoding: bytes, as: UTF8.self), file: name)
    }

    /// The default theme, or a theme without colors if the default theme's file is invalid.
    package static let standard =
        builtIn.first ?? Theme(name: "plain", summary: "", roles: [:], gradients: [:])

    /// The names and contents of the files, in the order in which the `t` key selects them.
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

    package static func named(_ name: String) throws(UnknownThemeError) -> Theme {
        guard let theme = builtIn.first(where: { $0.name == name }) else {
            throw UnknownThemeError(name: name, knownNames: builtIn.map(\.name))
        }
        return theme
    }

    package static func source(named name: String) -> String? {
        sources.first { $0.name == name + ".yaml" }
            .map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// Parses a theme.
    ///
    /// The last component of the path `file` is the theme's default name.
    ///
    /// - Throws: A ``ThemeError`` with all errors in the file and their positions.
    package static func parse(yaml: String, file: String) throws(ThemeError) -> Theme {
        try ThemeDecoder.decode(yaml: yaml, file: file)
    }
}
