import Foundation
import Text

extension Scenario {
    /// Parses a scenario from YAML.
    ///
    /// - Parameters:
    ///   - yaml: The text of the file.
    ///   - file: The name of the file, for messages.
    /// - Returns: The scenario.
    /// - Throws: ``ScenarioError`` with all issues in the file, each with a line and a column.
    public static func parse(yaml: String, file: String) throws(ScenarioError) -> Scenario {
        var decoder = ScenarioDecoder(file: file)
        return try decoder.decode(yaml)
    }

    /// Loads a preset, or a scenario from a file.
    ///
    /// A name with a slash or with the suffix `.yaml` or `.yml` is a path, and `-` is standard
    /// input. Any other name refers to a preset or, if there is no such preset, to a file. The
    /// commands of drivers are allowed if no other user can change the file.
    ///
    /// - Throws: ``ScenarioError`` if the file is missing or invalid.
    public static func load(nameOrPath name: String) throws(ScenarioError) -> Scenario {
        if name == "-" {
            let data = FileHandle.standardInput.readDataToEndOfFile()
            return try parse(yaml: text(of: data, file: "-"), file: "-")
        }
        let isPath = name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml")
        if !isPath, let preset = Presets.named(name) { return try preset.scenario() }
        if !isPath, !FileManager.default.fileExists(atPath: name) {
            throw ScenarioError(issues: [
                .init(
                    file: name,
                    message: "there is no such file or preset"
                        + NearestName.hint(name, among: Presets.all.map(\.name))
                )
            ])
        }
        var isPrivate = false
        var scenario = try parse(yaml: text(ofFile: name, isPrivate: &isPrivate), file: name)
        if isPrivate { scenario.allowCommands() }
        return scenario
    }

    private static func text(
        ofFile path: String,
        isPrivate: inout Bool
    ) throws(ScenarioError) -> String {
        let data: Data
        do {
            // The length of a pipe, such as `/dev/stdin`, is unknown, so read to the end.
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            isPrivate = Self.isPrivate(file.fileDescriptor, at: path)
            data = try file.readToEnd() ?? Data()
        } catch {
            var isDirectory: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            let reason =
                isDirectory.boolValue
                ? "this is a folder; specify a YAML file"
                : exists
                    ? "the file cannot be read; check its permissions"
                    : "there is no such file; check the path, or specify a preset from "
                        + "'poolgauge scenarios list'"
            throw ScenarioError(issues: [.init(file: path, message: reason)])
        }
        return try text(of: data, file: path)
    }

    private static func text(of data: Data, file: String) throws(ScenarioError) -> String {
        guard let text = String(data: data, encoding: .utf8) else {
            let message =
                data.starts(with: Data("SQLite format 3\0".utf8))
                ? "this is an SQLite database, not a scenario; specify a YAML file, and pass the "
                    + "database with --database"
                : "the file is not encoded in UTF-8; convert it to UTF-8"
            throw ScenarioError(issues: [.init(file: file, message: message)])
        }
        return text
    }
}
