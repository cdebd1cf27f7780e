<?php
[$path, $end] = [$argv[1], microtime(true) + $argv[2]];
$c = new SQLite3($path);
$c->exec("PRAGMA journal_mode = wal");
$c->exec("CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER, name TEXT)");
$c->exec("INSERT INTO item VALUES (1, 0, '')");
$c->close();
$prints = pcntl_fork() != 0 && pcntl_fork() != 0;
$c = new PDO("sqlite:$path", null, null, [PDO::ATTR_TIMEOUT => 20]);
$done = $failed = 0;
while (microtime(true) < $end) {
    try {
        $c->beginTransaction();
        $c->query("SELECT hits FROM item WHERE id = 1")->fetchAll();
        usleep(4000);
        $c->exec("UPDATE item SET hits = hits + 1 WHERE id = 1");
        $c->commit();
        $done++;
    } catch (PDOException $e) {
        $failed++;
        if ($c->inTransaction()) $c->rollBack();
    }
}
if ($prints) echo json_encode(["done" => $done, "failed" => $failed]), "\n";
