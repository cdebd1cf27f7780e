import Findings
import SQLiteWatch

extension TraceModel {
    struct ReportContext {
        var now: UInt64
        /// A closure that converts a monotonic time to a calendar time.
        var calendar: (UInt64) -> WatchTime
        var name: (Int32) -> String?
    }

    /// Returns all open transactions, oldest first, followed by the longest completed ones.
    func transactionReport(_ context: ReportContext) -> [WatchedTransaction] {
        let open = transactions.openTransactions.values.sorted {
            ($0.start, $0.key.process, $0.key.connection)
                < ($1.start, $1.key.process, $1.key.connection)
        }
        return (open + transactions.longestTransactions).map { transaction in
            var report = WatchedTransaction(
                pid: transaction.key.process,
                connection: String(transaction.key.connection, radix: 16)
            )
            report.name = context.name(transaction.key.process)
            report.open = transaction.end == nil
            report.writes = transaction.writesSince != nil
            report.seconds = transaction.seconds(at: context.now)
            report.statements = transaction.statements
            var idle = transaction.idle
            var gap = transaction.longestGap.length
            if transaction.end == nil {
                let since = context.now - min(transaction.lastEnd, context.now)
                idle += since
                gap = max(gap, since)
                report.secondsSinceStatement = Double(since) / 1e9
            }
            report.idleSeconds = Double(idle) / 1e9
            report.longestGapSeconds = Double(gap) / 1e9
            report.gapAfter = transaction.gapAfter
            report.gapBefore = transaction.gapBefore
            if transaction.end == nil,
                report.longestGapSeconds * 1e9 > Double(transaction.longestGap.length)
            {
                report.gapAfter = transaction.lastSQL
                report.gapBefore = nil
            }
            report.sql = transaction.lastSQL
            return report
        }
    }

    /// Returns all waits in groups, longest total time first.
    func waitReport(_ context: ReportContext) -> [WatchedWaits] {
        blocks.groups.map { group in
            WatchedWaits(
                count: group.count,
                seconds: Double(group.length) / 1e9,
                longest: report(on: group.longest, context)
            )
        }
    }

    /// Returns the waits, most recent first.
    func blockReport(_ context: ReportContext) -> [WatchedBlock] {
        blocks.latest.map { report(on: $0, context) }
    }

    private func report(on block: BlockTracker.Block, _ context: ReportContext) -> WatchedBlock {
        var report = WatchedBlock(
            time: context.calendar(block.end),
            pid: block.key.process,
            seconds: Double(block.length) / 1e9,
            failed: block.failed
        )
        report.name = context.name(block.key.process)
        report.sql = block.sql
        report.isUpperBound = block.isUpperBound
        if block.failed { report.isUpgrade = block.isUpgrade }
        report.isMainThread = block.isMainThread
        report.by = block.blocker.map { transaction in
            let process = transaction.key.process
            var blocker = WatchedBlock.Blocker(pid: process, isInferred: false)
            blocker.name = context.name(process)
            blocker.sql = transaction.lastSQL
            blocker.transactionSeconds = transaction.seconds(at: block.end)
            let start = block.end - min(block.length, block.end)
            blocker.longestGapSeconds = Double(transaction.longestGap.length) / 1e9
            blocker.gapAfter = transaction.gapAfter
            blocker.gapBefore = transaction.gapBefore
            if transaction.end == nil || transaction.end ?? 0 >= block.end {
                // The transaction may have been idle until the end of the wait.
                let current = block.end - min(transaction.lastEnd, block.end)
                if current > transaction.longestGap.length {
                    blocker.longestGapSeconds = Double(current) / 1e9
                    blocker.gapAfter = transaction.lastSQL
                    blocker.gapBefore = nil
                }
            }
            blocker.idleSeconds = Double(transaction.idle(from: start, to: block.end)) / 1e9
            return blocker
        }
        return report
    }
}
