<?php
// A driver for poolgauge (docs/Drivers.md): PDO in a process for each worker, as in PHP-FPM.
//
// Each process keeps one connection (PDO::ATTR_PERSISTENT has the same effect), so an access never
// waits for one, and 'readers' has no effect.

function connect(array $setup): PDO {
    $database = new PDO('sqlite:' . $setup['database'], null, null, [
        PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
        PDO::ATTR_TIMEOUT => 60, // In seconds; the pragma below sets it in milliseconds.
    ]);
    if (isset($setup['busyTimeout'])) {
        $database->exec("PRAGMA busy_timeout = {$setup['busyTimeout']}");
    }
    foreach ($setup['pragmas'] as $pragma) {
        $database->exec($pragma);
    }
    return $database;
}

/** Returns the statements of each access with their numbers of parameters. */
function prepare(PDO $database, array $setup): array {
    return array_map(function (array $access) use ($database, $setup) {
        $list = $access['statements'];
        // A single statement is a read transaction of its own. Other accesses start and end one.
        if ($access['kind'] === 'write' || ($access['kind'] === 'read' && count($list) > 1)) {
            $begin = $access['kind'] === 'write' ? $setup['begin'] : 'BEGIN DEFERRED';
            array_unshift($list, ['sql' => $begin, 'parameters' => 0]);
            $list[] = ['sql' => 'COMMIT', 'parameters' => 0];
        }
        return array_map(fn($s) => [$database->prepare($s['sql']), $s['parameters']], $list);
    }, $setup['accesses']);
}

/** Blobs and large integers are objects. */
function bind(PDOStatement $statement, int $index, mixed $value): void {
    if (is_int($value)) {
        $statement->bindValue($index, $value, PDO::PARAM_INT);
    } elseif ($value === null) {
        $statement->bindValue($index, null, PDO::PARAM_NULL);
    } elseif (is_object($value) && isset($value->b)) {
        $statement->bindValue($index, hex2bin($value->b), PDO::PARAM_LOB);
    } elseif (is_object($value)) {
        $statement->bindValue($index, (int) $value->i, PDO::PARAM_INT);
    } else {
        // PDO has no type for floating-point numbers, which become text.
        $statement->bindValue($index, (string) $value);
    }
}

/** Returns the number of rows, or the failure as text. */
function perform(PDO $database, array $statements, array $values): int|string {
    $next = 1;
    $rows = 0;
    try {
        foreach ($statements as [$statement, $parameters]) {
            for ($index = 1; $index <= $parameters; $index++) {
                bind($statement, $index, $values[$next++]);
            }
            $statement->execute();
            $rows += count($statement->fetchAll(PDO::FETCH_NUM));
            $statement->closeCursor();
        }
        return $rows;
    } catch (PDOException $error) {
        foreach ($statements as [$statement]) {
            $statement->closeCursor();
        }
        if (count($statements) > 1) {
            try {
                $database->exec('ROLLBACK');
            } catch (PDOException) {
                // BEGIN has failed.
            }
        }
        $code = $error->errorInfo[1] ?? 1;
        return substr("$code " . $error->getMessage(), 0, 200);
    }
}

function lane(string $path, array $setup): void {
    $database = connect($setup);
    $accesses = prepare($database, $setup);
    $socket = stream_socket_client("unix://$path");
    while (($line = fgets($socket)) !== false) {
        $answers = [];
        foreach (json_decode($line) as $request) {
            $start = hrtime(true);
            $result = perform($database, $accesses[$request[0]] ?? [], $request); // -1 has none.
            array_push($answers, 0, hrtime(true) - $start, $result);
        }
        $bytes = json_encode($answers, JSON_INVALID_UTF8_SUBSTITUTE) . "\n";
        for ($sent = 0; $sent < strlen($bytes); $sent += $count) {
            $count = fwrite($socket, substr($bytes, $sent));
            if ($count === false) {
                return;
            }
        }
    }
}

$setup = json_decode(fgets(STDIN), true);
try {
    if (isset($setup['busyPause'])) {
        throw new Exception("PDO has no constant pause; remove 'retry'");
    }
    $sqlite = connect($setup)->query('SELECT sqlite_version()')->fetchColumn();
    $answer = ['ready' => true, 'runtime' => 'PHP ' . PHP_VERSION, 'sqlite' => $sqlite];
} catch (Exception $error) {
    $answer = ['error' => $error->getMessage()];
}
fwrite(STDOUT, json_encode($answer) . "\n");
while (($line = fgets(STDIN)) !== false) {
    $request = json_decode($line, true);
    for ($lane = 0; $lane < $request['lanes']; $lane++) {
        if (pcntl_fork() === 0) {
            // SQLite's connections must not be used after a fork, so the child opens its own.
            lane($request['socket'], $setup);
            exit(0);
        }
    }
}
