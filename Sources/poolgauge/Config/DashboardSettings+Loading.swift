import Dashboard

extension DashboardSettings {
    /// Reads the configuration file, or returns the defaults if the file does not exist.
    static func load(from folder: ConfigurationFolder = .init()) throws -> DashboardSettings {
        guard let path = folder.configuration, let yaml = try TextFile.read(path) else {
            return DashboardSettings()
        }
        return try SettingsDecoder.decode(yaml: yaml, file: path)
    }
}
