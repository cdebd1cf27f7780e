import Foundation
import SQLiteEngine

// Operations on a pool, and the status that the pool reports meanwhile.

let folder = NSTemporaryDirectory() + "watched-pool-\(UUID().uuidString)"
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

var configuration = Configuration()
configuration.label = "orders"
configuration.maximumReaderCount = 4
let pool = try DatabasePool(path: folder + "/orders.sqlite", configuration: configuration)
let load = try Load(on: pool)
load.start()
let watch = Watch(pool)
watch.start()

let acts = Acts(pool)
acts.pause(seconds: 1.5)
try acts.holdAReader(seconds: 2)
acts.pause(seconds: 1)
try acts.keepASnapshot(seconds: 2)
acts.pause(seconds: 1)
try acts.interruptAQuery(after: 1)
acts.pause(seconds: 1)
acts.takeAllReaders(seconds: 1.2)
acts.pause(seconds: 1)

watch.stop()
load.stop()
try pool.close()
