<?php
// Opens connections with settings that are set in different ways: program.php WAL ROLLBACK.
[, $wal, $rollback] = $argv;

function open(string $path, array $options = []): PDO {
    return new PDO("sqlite:$path", null, null, $options);
}

foreach ([[$wal, 'wal'], [$rollback, 'delete']] as [$path, $mode]) {
    $connection = open($path);
    $connection->query("PRAGMA journal_mode = $mode")->fetchAll();
    $connection->exec("CREATE TABLE IF NOT EXISTS t(a)");
    $connection = null;
}
$connections = [];
function add(PDO|SQLite3 $connection, array $statements, array $known = []): void {
    global $connections;
    foreach ($statements as $statement) {
        $connection instanceof PDO
            ? $connection->query($statement)->fetchAll() : $connection->query($statement)->finalize();
    }
    $connections[] = [$connection, $known];
}
function first(PDO|SQLite3 $connection, string $sql): mixed {
    return $connection instanceof PDO
        ? $connection->query($sql)->fetchColumn() : $connection->querySingle($sql);
}
function values(PDO|SQLite3 $connection, array $known): array {
    $values = ['read_only' => false, 'shared_cache' => false, 'threading' => 'serialized',
        'own_handler' => false, 'own_hook' => false];
    first($connection, 'SELECT count(*) FROM t');
    foreach (['busy_timeout', 'synchronous', 'journal_mode', 'cache_size', 'mmap_size',
        'wal_autocheckpoint', 'foreign_keys', 'locking_mode', 'query_only'] as $name) {
        $values[$name] = first($connection, "PRAGMA $name");
    }
    return array_merge($values, $known);
}
add(open($wal), []);
add(open($wal, [PDO::ATTR_TIMEOUT => 7]), ['PRAGMA cache_size = -1001']);
add(open($wal), ['PRAGMA cache_size = 1002', 'PRAGMA busy_timeout = 4321']);
add(open($wal), ['PRAGMA cache_size = -1003', 'PRAGMA synchronous = OFF']);
add(open($wal), ['PRAGMA cache_size = -1004', 'PRAGMA synchronous = NORMAL', 'PRAGMA foreign_keys = ON']);
add(open($wal), ['PRAGMA cache_size = 1006', 'PRAGMA mmap_size = 268435456', 'PRAGMA wal_autocheckpoint = 0']);
add(open($wal), ['PRAGMA cache_size = -1007', 'PRAGMA mmap_size = 99999999999', 'PRAGMA wal_autocheckpoint = 17']);
add(open($wal), ['PRAGMA cache_size = -1008', 'PRAGMA query_only = 1']);
add(open($wal, [PDO::SQLITE_ATTR_OPEN_FLAGS => PDO::SQLITE_OPEN_READONLY]),
    ['PRAGMA cache_size = -1009'], ['read_only' => true]);
if (class_exists('SQLite3')) {
    $other = new SQLite3($wal);
    $other->busyTimeout(1234);
    add($other, ['PRAGMA cache_size = -1010']);
}
foreach (['DELETE', 'TRUNCATE', 'PERSIST', 'MEMORY', 'OFF'] as $index => $mode) {
    add(open($rollback), ['PRAGMA cache_size = -' . (1101 + $index), "PRAGMA journal_mode = $mode"]);
}
echo json_encode(array_map(fn($entry) => values(...$entry), $connections)), "\n";
stream_set_blocking(STDIN, false);
while (true) {
    if ($line = fgets(STDIN)) {
        $connections[0][0]->query($line)->fetchAll();
        echo json_encode(values(...$connections[0])), "\n";
    }
    foreach ($connections as [$connection]) first($connection, 'SELECT count(*) FROM t');
    usleep(20000);
}
