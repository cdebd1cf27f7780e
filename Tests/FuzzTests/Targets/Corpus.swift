import Foundation

/// The files in `Tests/FuzzTests/Corpus` and other files of the package.
enum Corpus {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let package = folder.deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the content of a file in the package, or no bytes if the file is missing.
    static func file(_ path: String) -> [UInt8] {
        [UInt8]((try? Data(contentsOf: package.appendingPathComponent(path))) ?? Data())
    }

    /// Returns the contents of the files in a folder of the package, sorted by file name.
    static func files(in path: String) -> [[UInt8]] {
        let folder = package.appendingPathComponent(path)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { file("\(path)/\($0)") }
    }

    /// Returns the inputs in a target's folder.
    static func inputs(of target: String) -> [[UInt8]] {
        files(in: "Tests/FuzzTests/Corpus/\(target)")
    }

    /// Returns the JSON text to which a target applies its edits.
    static func base(_ name: String) -> String {
        String(decoding: file("Tests/FuzzTests/Base/\(name).json"), as: UTF8.self)
    }
}
