/// The built-in scenarios, from the files in the `scenarios` folder.
public enum Presets {
    /// A built-in scenario.
    public struct Preset: Sendable {
        /// The scenario's name, equal to the file's name without `.yaml`.
        public let name: String
        /// The text of the file.
        public let yaml: String

        /// Parses the scenario.
        ///
        /// - Throws: ``ScenarioError`` if the preset is invalid. Tests verify that all presets
        ///   are valid.
        public func scenario() throws(ScenarioError) -> Scenario {
            try Scenario.parse(yaml: yaml, file: name)
        }

        fileprivate init(_ name: String, _ bytes: [UInt8]) {
            self.name = name
            yaml = String(decoding: bytes, as: UTF8.self)
        }
    }

    /// All presets, starting with the most instructive one.
    public static let all: [Preset] = [
        Preset("reads-during-import", PackageResources.reads_during_import_yaml),
        Preset("reader-storm", PackageResources.reader_storm_yaml),
        Preset("list-scrolling", PackageResources.list_scrolling_yaml),
        Preset("search-as-you-type", PackageResources.search_as_you_type_yaml),
        Preset("long-report", PackageResources.long_report_yaml),
        Preset("snapshot-export", PackageResources.snapshot_export_yaml),
        Preset("checkpoint-starvation", PackageResources.checkpoint_starvation_yaml),
        Preset("two-processes", PackageResources.two_processes_yaml),
        Preset("pgbench-tpcb", PackageResources.pgbench_tpcb_yaml),
        Preset("pgbench-simple-update", PackageResources.pgbench_simple_update_yaml),
        Preset("pgbench-select-only", PackageResources.pgbench_select_only_yaml),
        Preset("ycsb-a", PackageResources.ycsb_a_yaml),
        Preset("ycsb-b", PackageResources.ycsb_b_yaml),
        Preset("ycsb-c", PackageResources.ycsb_c_yaml),
        Preset("ycsb-d", PackageResources.ycsb_d_yaml),
        Preset("ycsb-e", PackageResources.ycsb_e_yaml),
        Preset("ycsb-f", PackageResources.ycsb_f_yaml),
        Preset("sysbench-point-select", PackageResources.sysbench_point_select_yaml),
        Preset("sysbench-read-only", PackageResources.sysbench_read_only_yaml),
        Preset("sysbench-write-only", PackageResources.sysbench_write_only_yaml),
        Preset("sysbench-read-write", PackageResources.sysbench_read_write_yaml),
    ]

    /// Returns the preset with the given name, if any.
    public static func named(_ name: String) -> Preset? { all.first { $0.name == name } }
}
