<?php
[$path, $end] = [$argv[1], microtime(true) + $argv[2]];
$c = new SQLite3($path);
$c->exec("PRAGMA journal_mode = wal");
$c->exec("CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER, name TEXT)");
for ($i = 0; $i < 200; $i++) $c->exec("INSERT INTO item (hits) VALUES (0)");
$reader = new SQLite3($path);
$rows = $reader->query("SELECT * FROM item");
$rows->fetchArray();
while (microtime(true) < $end) {
    $c->exec("UPDATE item SET hits = hits + 1");
    usleep(5000);
}
