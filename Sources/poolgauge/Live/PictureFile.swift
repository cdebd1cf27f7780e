import TerminalUI

/// A file for a picture of a surface, in the format that the file extension specifies.
struct PictureFile {
    private enum Format: String, CaseIterable {
        case txt
        case ans
        case svg
    }

    private let format: Format
    private let destination: ReportDestination

    init(path: String) throws {
        let name = path.split(separator: "/").last ?? ""
        let fileExtension = name.contains(".") ? name.split(separator: ".").last ?? "" : ""
        guard let format = Format(rawValue: fileExtension.lowercased()) else {
            throw CommandFailure(
                "--screenshot: the file name '\(path)' must end in .txt, .ans (ANSI), or .svg"
            )
        }
        self.format = format
        destination = try ReportDestination(path: path, option: "--screenshot")
    }

    func write(_ surface: Surface, title: String) throws {
        switch format {
        case .txt: try destination.write(surface.plainText)
        case .ans: try destination.write(surface.ansiText)
        case .svg: try destination.write(SVGRenderer.render(surface, title: title))
        }
    }
}
