const { DatabaseSync } = require("node:sqlite");
const { fork } = require("node:child_process");
const [path, seconds, role] = [process.argv[2], Number(process.argv[3]), process.argv[5]];
const end = Date.now() + 1000 * seconds;
const c = new DatabaseSync(path, { timeout: 20000 });
c.exec("PRAGMA busy_timeout = 20000");
if (!role) {
  c.exec("PRAGMA journal_mode = wal; " +
         "CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER, name TEXT); " +
         "INSERT INTO item VALUES (1, 0, '')");
  for (const name of ["one", "two"]) fork(__filename, [path, seconds, "", name]);
}
const read = c.prepare("SELECT hits FROM item WHERE id = 1");
const write = c.prepare("UPDATE item SET hits = hits + 1 WHERE id = 1");
let [done, failed] = [0, 0];
async function work() {
  while (Date.now() < end) {
    c.exec("BEGIN");
    try {
      read.all();
      await new Promise(resolve => setTimeout(resolve, 4));
      write.run();
      c.exec("COMMIT");
      done++;
    } catch {
      failed++;
      c.exec("ROLLBACK");
    }
  }
  if (!role) console.log(JSON.stringify({ done, failed }));
}
work();
