import TerminalUI

/// A file for a picture of a surface, in the format that the file extension specifies.
struct PictureFile {
    private enum Form: String, CaseIterable {
        case txt
        case ans
        case svg
    }

    private let form: Form
    private let destination: ReportDestination

    init(path: String) throws {
        let name = path.split(separator: "/").last ?? ""
        let ending = name.contains(".") ? name.split(separator: ".").last ?? "" : ""
        guard let form = Form(rawValue: ending.lowercased()) else {
            throw CommandFailure(
                "--screenshot: the file name '\(path)' must end in .txt, .ans (ANSI), or .svg"
            )
        }
        self.form = form
        destination = try ReportDestination(path: path, option: "--screenshot")
    }

    func write(_ surface: Surface, title: String) throws {
        switch form {
        case .txt: try destination.write(surface.plainText)
        case .ans: try destination.write(surface.ansiText)
        case .svg: try destination.write(SVGRenderer.render(surface, title: title))
        }
    }
}
