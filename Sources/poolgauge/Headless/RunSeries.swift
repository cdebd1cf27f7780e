import ArgumentParser
import WorkloadEngine

/// The temporary folder and the progress of a command that runs a scenario many times.
struct RunSeries {
    let folder: RunFolder
    let reporter: ProgressReporter

    init(progress: ProgressMode) throws {
        folder = try RunFolder(isKept: false)
        reporter = ProgressReporter(progress)
    }

    /// Sets the options common to all kinds of series, and copies the user's database.
    ///
    /// - Parameters:
    ///   - options: The options of the series.
    ///   - data: The user's database, if any.
    ///   - scenario: The scenario's name or path, as entered by the user.
    /// - Throws: ``CommandFailure`` if the database cannot be copied.
    func prepare(
        _ options: inout some RunSeriesOptions,
        data: DatabaseOptions,
        for scenario: String
    ) throws {
        options.run.folder = folder.url
        options.run.database = try data.copy(for: scenario, in: folder.url) {
            reporter.showStep($0)
        }
        options.run.processCommand = ClientProcess.command
        options.versions = HeadlessRun.versions
        options.onProgress = { [reporter] in reporter.showStep($0) }
    }
}

/// The options common to all kinds of series.
protocol RunSeriesOptions {
    var run: RunOptions { get set }
    var versions: [String: String] { get set }
    var onProgress: (@Sendable (String) -> Void)? { get set }
}

extension AdviceOptions: RunSeriesOptions {}
extension CapacityOptions: RunSeriesOptions {}
extension ComparisonOptions: RunSeriesOptions {}
