import Foundation
import PoolgaugeAgent
import SQLiteEngine

// Performs operations on a pool while a watcher prints the status that the pool reports.
// `WatchedPool SECONDS` repeats the operations for at least this time.

let seconds = CommandLine.arguments.dropFirst().first.flatMap { Double($0) } ?? 0
let start = ContinuousClock.now
let folder = NSTemporaryDirectory() + "watched-pool-\(UUID().uuidString)"
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

var configuration = Configuration()
configuration.label = "orders"
configuration.maximumReaderCount = 4
let pool = try DatabasePool(path: folder + "/orders.sqlite", configuration: configuration)
// With POOLGAUGE_AGENT=1, `poolgauge attach orders` reports on the pool.
let agent = try Agent.startIfRequested(pool, name: "orders")
let load = try Load(on: pool)
load.start()
let watch = Watch(pool)
watch.start()

let operations = Operations(pool)
repeat {
    operations.pause(seconds: 1.5)
    try operations.holdReader(seconds: 2)
    operations.pause(seconds: 1)
    try operations.keepSnapshot(seconds: 2)
    operations.pause(seconds: 1)
    try operations.interruptQuery(after: 1)
    operations.pause(seconds: 1)
    operations.acquireAllReaders(seconds: 1.2)
    operations.pause(seconds: 1)
} while ContinuousClock.now - start < .seconds(seconds)

watch.stop()
load.stop()
agent?.stop()
try pool.close()
