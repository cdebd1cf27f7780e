import Dashboard

extension DashboardModel {
    /// Shows whether a recording is in progress, and any messages about recordings.
    mutating func show(_ recording: DisplayRecording) {
        for note in recording.takeNotes() {
            announce(note.text, isWarning: note.isWarning)
        }
        isRecording = recording.isRecording
    }
}
