/// Names that distinguish the processes of one program.
enum ProcessNames {
    /// The maximum length of an argument in a name, in characters.
    private static let argumentLength = 24

    /// Appends to the names of processes with the same name the first argument that differs, as in
    /// `python3 svc.py web` and `python3 svc.py jobs`.
    static func distinguish(_ processes: inout [Int32: DatabaseMonitor.Process]) {
        for (name, group) in Dictionary(grouping: processes, by: { $0.value.name })
        where group.count > 1 {
            let lists = group.map(\.value.arguments)
            let length = lists.map(\.count).max() ?? 0
            let index = (1..<max(length, 1)).first { index in
                Set(lists.map { $0.indices.contains(index) ? $0[index] : "" }).count > 1
            }
            guard let index else { continue }
            for (process, facts) in group where facts.arguments.indices.contains(index) {
                let argument = facts.arguments[index]
                processes[process]?.name = "\(name) \(argument.prefix(argumentLength))"
            }
        }
    }
}
