<?php
[$path, $end] = [$argv[1], microtime(true) + $argv[2]];
$c = new SQLite3($path);
$c->exec("PRAGMA journal_mode = wal");
$c->exec("CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER, name TEXT)");
$c->exec("INSERT INTO item VALUES (1, 0, '')");
$c->close();
$isChild = pcntl_fork() == 0;
$c = new SQLite3($path);
$c->enableExceptions(true);
$c->busyTimeout($isChild ? 250 : 5000);
while (microtime(true) < $end) {
    if ($isChild) {
        try {
            $c->exec("INSERT INTO item (hits) VALUES (1)");
        } catch (Exception $e) {
        }
        usleep(50000);
        continue;
    }
    $c->exec("BEGIN IMMEDIATE");
    $c->querySingle("SELECT count(*) FROM item");
    usleep(800000);
    $c->exec("UPDATE item SET hits = 1 WHERE id = 1");
    $c->exec("COMMIT");
    usleep(100000);
}
