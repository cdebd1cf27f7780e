const { DatabaseSync } = require("node:sqlite");
const [path, end] = [process.argv[2], Date.now() + 1000 * process.argv[3]];
const c = new DatabaseSync(path);
c.exec("PRAGMA journal_mode = wal; " +
       "CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER, name TEXT)");
const insert = c.prepare("INSERT INTO item (name) VALUES (?)");
for (let i = 0; i < 200; i++) insert.run(`item ${i}`);
const list = c.prepare("SELECT id FROM item ORDER BY id DESC LIMIT 25");
const one = c.prepare("SELECT name FROM item WHERE id = ?");
const timer = setInterval(() => {
  for (const row of list.all()) one.get(row.id);
  if (Date.now() > end) clearInterval(timer);
}, 30);
