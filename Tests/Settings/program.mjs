// Opens connections with settings that are set in different ways: program.mjs WAL ROLLBACK.
import { DatabaseSync } from "node:sqlite";

const [, , wal, rollback] = process.argv;
const entries = [];
function add(path, options, known, ...statements) {
  const connection = new DatabaseSync(path, options);
  for (const statement of statements) connection.prepare(statement).all();
  entries.push([connection, known]);
}
function values([connection, known]) {
  connection.prepare("SELECT count(*) FROM t").get();
  const found = { read_only: false, shared_cache: false, threading: "serialized", own_handler: false, own_hook: false };
  for (const name of ["busy_timeout", "synchronous", "journal_mode", "cache_size", "mmap_size", "wal_autocheckpoint", "foreign_keys", "locking_mode", "query_only"]) {
    const row = connection.prepare(`PRAGMA ${name}`).get();
    found[name] = row ? String(Object.values(row)[0]) : null;
  }
  return { ...found, ...known };
}
for (const [path, mode] of [[wal, "wal"], [rollback, "delete"]]) {
  const connection = new DatabaseSync(path);
  connection.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE IF NOT EXISTS t(a)`);
  connection.close();
}
add(wal, {}, {});
add(wal, { timeout: 7500 }, {}, "PRAGMA cache_size = -1001");
add(wal, {}, {}, "PRAGMA cache_size = 1002", "PRAGMA busy_timeout = 4321");
add(wal, {}, {}, "PRAGMA cache_size = -1003", "PRAGMA synchronous = OFF");
add(wal, { enableForeignKeyConstraints: false }, {}, "PRAGMA cache_size = -1004", "PRAGMA synchronous = NORMAL");
add(wal, {}, {}, "PRAGMA cache_size = 1006", "PRAGMA mmap_size = 268435456", "PRAGMA wal_autocheckpoint = 0");
add(wal, {}, {}, "PRAGMA cache_size = -1007", "PRAGMA mmap_size = 99999999999", "PRAGMA wal_autocheckpoint = 17");
add(wal, {}, {}, "PRAGMA cache_size = -1008", "PRAGMA query_only = 1");
add(wal, { readOnly: true }, { read_only: true }, "PRAGMA cache_size = -1009");
["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF"].forEach((mode, index) =>
  add(rollback, {}, {}, `PRAGMA cache_size = -${1101 + index}`, `PRAGMA journal_mode = ${mode}`));
console.log(JSON.stringify(entries.map(values)));
process.stdin.on("data", (line) => {
  entries[0][0].prepare(String(line)).all();
  console.log(JSON.stringify(values(entries[0])));
});
setInterval(() => {
  for (const [connection] of entries) connection.prepare("SELECT count(*) FROM t").get();
}, 20);
