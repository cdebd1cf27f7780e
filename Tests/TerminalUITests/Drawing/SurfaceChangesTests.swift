import TerminalUI
import Testing

struct SurfaceChangesTests {
    private func surface(_ text: String, width: Int = 8) -> Surface {
        var canvas = Canvas(
            size: Size(width: width, height: 2),
            theme: .standard,
            glyphs: .braille
        )
        canvas.write(text, x: 0, y: 1, style: Style())
        return canvas.surface
    }

    @Test func onlyDifferencesAreChanges() {
        #expect(surface("abc").changes(from: surface("abc")).isEmpty)
        let changes = surface("abd").changes(from: surface("abc"))
        #expect(changes == [CellChange(point: Point(x: 2, y: 1), cell: Cell("d"))])
    }

    @Test func allCellsAreChangesAfterAResize() {
        #expect(surface("abc").changes(from: surface("abc", width: 9)).count == 16)
        #expect(surface("abc").changes(from: nil).count == 16)
    }

    @Test func aDifferentStyleIsAChange() {
        var bold = surface("abc")
        bold[0, 1].style.attributes.insert(.bold)
        #expect(bold.changes(from: surface("abc")).map(\.point) == [Point(x: 0, y: 1)])
    }

    @Test(arguments: [("日x", "本x"), ("日x", "abx"), ("abx", "日x"), ("日", "a日"), ("a日b", "日ab")])
    func applyingTheChangesProducesTheSurface(old: String, new: String) {
        let (oldSurface, newSurface) = (surface(old), surface(new))
        var screen = oldSurface
        for change in newSurface.changes(from: oldSurface) {
            screen[change.point.x, change.point.y] = change.cell
        }
        #expect(screen == newSurface)
    }

    @Test(arguments: [("日x", "本x"), ("日", "a日")])
    func bothHalvesOfAWideCharacterAreWrittenWhenEitherChanges(old: String, new: String) {
        let newSurface = surface(new)
        let changed = newSurface.changes(from: surface(old)).map(\.point)
        for point in changed {
            let next = Point(x: point.x + 1, y: point.y)
            let previous = Point(x: point.x - 1, y: point.y)
            if newSurface[next.x, next.y].character.isEmpty { #expect(changed.contains(next)) }
            if newSurface[point.x, point.y].character.isEmpty {
                #expect(changed.contains(previous))
            }
        }
    }
}
