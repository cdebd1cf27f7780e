/// A scenario with user-defined tables that are filled from distributions.
enum NotesScenario {
    static let yaml = """
        version: 1
        name: notes
        dataset:
          schema:
            - CREATE TABLE folders (id INTEGER PRIMARY KEY, name TEXT)
            - CREATE TABLE notes (id INTEGER PRIMARY KEY, folder, title, photo, state)
          rows:
            folders: {count: 20, columns: {id: sequence, name: {distribution: template, template: "@@"}}}
            notes:
              count: 6000
              columns:
                id: sequence
                folder: {distribution: zipfian, min: 1, max: 20}
                title: {distribution: text, length: {distribution: gaussian, min: 5, max: 60}}
                photo: {distribution: blob, length: 1KiB, nulls: 90%}
                state: {distribution: choice, values: [draft, 2, null], weights: [8, 1, 1]}
          finally: CREATE INDEX by_folder ON notes (folder)
          scale: 2
        arms: {q: {type: queue}}
        phases: [{name: all, duration: 1s}]
        variables:
          popular: {distribution: zipfian, range: notes_id}
          new_note: {distribution: sequential, after: notes_id}
          recent: {distribution: latest, range: notes_id, of: new_note}
        clients:
          find: {access: read, sql: "SELECT * FROM notes WHERE id = :popular OR id = :notes_id"}
          add: {access: write, sql: "INSERT INTO notes (id) VALUES (:new_note)"}
          list: {access: read, sql: "SELECT * FROM notes WHERE id = :recent"}
        """
}
