<?php
[$path, $end] = [$argv[1], microtime(true) + $argv[2]];
$c = new SQLite3($path);
$c->exec("PRAGMA journal_mode = wal");
$c->exec("CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER, name TEXT)");
$c->exec("INSERT INTO item VALUES (1, 0, ''), (2, 0, '')");
$c->close();
$isChild = pcntl_fork() == 0;
$c = new SQLite3($path);
$c->enableExceptions(true);
$c->busyTimeout($isChild ? 5000 : 0);
$done = $failed = 0;
while (microtime(true) < $end) {
    if ($isChild) {
        $c->exec("BEGIN IMMEDIATE");
        $c->exec("UPDATE item SET hits = 1 WHERE id = 1");
        usleep(50000);
        $c->exec("COMMIT");
        usleep(50000);
        continue;
    }
    try {
        $c->exec("UPDATE item SET hits = 2 WHERE id = 2");
        $done++;
    } catch (Exception $e) {
        $failed++;
    }
    usleep(10000);
}
if (!$isChild) echo json_encode(["done" => $done, "failed" => $failed]), "\n";
