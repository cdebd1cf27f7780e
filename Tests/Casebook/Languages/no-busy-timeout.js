const { DatabaseSync } = require("node:sqlite");
const { fork } = require("node:child_process");
const [path, seconds, role] = [process.argv[2], Number(process.argv[3]), process.argv[5]];
const end = Date.now() + 1000 * seconds;
const wait = time => new Promise(resolve => setTimeout(resolve, time));
async function keep(c) {
  while (Date.now() < end) {
    c.exec("BEGIN IMMEDIATE");
    c.exec("UPDATE item SET hits = 1 WHERE id = 1");
    await wait(50);
    c.exec("COMMIT");
    await wait(50);
  }
}
async function write(c) {
  let [done, failed] = [0, 0];
  const update = c.prepare("UPDATE item SET hits = 2 WHERE id = 2");
  while (Date.now() < end) {
    try {
      update.run();
      done++;
    } catch {
      failed++;
    }
    await wait(10);
  }
  console.log(JSON.stringify({ done, failed }));
}
const c = new DatabaseSync(path);
if (role) {
  c.exec("PRAGMA busy_timeout = 5000");
  keep(c);
} else {
  c.exec("PRAGMA journal_mode = wal; " +
         "CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER, name TEXT); " +
         "INSERT INTO item VALUES (1, 0, ''), (2, 0, '')");
  fork(__filename, [path, seconds, "", "holder"]);
  write(c);
}
