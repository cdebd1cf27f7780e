// A driver for poolgauge (docs/Drivers.md): node:sqlite.
//
// By default, the main thread performs all accesses on one connection, one after another. With the
// option `workers: true`, it passes them to `readers` worker threads (4 by default), each with its
// own connection; an access waits until a worker is free.
import { createConnection } from "node:net";
import { createInterface } from "node:readline";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const { DatabaseSync } = await import("node:sqlite").catch(() => {
  console.log(JSON.stringify({ error: `Node.js ${process.version} has no node:sqlite; use 22.5 or newer` }));
  process.exit(1);
});
const now = () => Number(process.hrtime.bigint());

class Connection {
  constructor(setup) {
    this.database = new DatabaseSync(setup.database, { timeout: setup.busyTimeout ?? 0 });
    for (const pragma of setup.pragmas) this.database.exec(pragma);
    // The driver keeps prepared statements, as programs do.
    this.accesses = setup.accesses.map((access) => {
      const alone = access.kind === "read" && access.statements.length === 1;
      return {
        begin: access.kind === "write" ? setup.begin : "BEGIN DEFERRED",
        // A single statement is a read transaction of its own.
        plain: access.kind === "plain" || alone,
        statements: access.statements.map(({ sql, parameters }) => ({
          statement: this.database.prepare(sql),
          parameters,
        })),
      };
    });
    this.accesses[-1] = { plain: true, statements: [] };
    this.beginStatements = new Map();
    this.commit = this.database.prepare("COMMIT");
  }

  begin(sql) {
    let statement = this.beginStatements.get(sql);
    if (!statement) this.beginStatements.set(sql, (statement = this.database.prepare(sql)));
    statement.run();
  }

  // Returns the number of rows, or the failure as text.
  perform(request) {
    const access = this.accesses[request[0]];
    let rows = 0;
    let next = 1;
    try {
      if (!access.plain) this.begin(access.begin);
      for (const { statement, parameters } of access.statements) {
        const values = request.slice(next, next + parameters).map(value);
        rows += statement.all(...values).length;
        next += parameters;
      }
      if (!access.plain) this.commit.run();
      return rows;
    } catch (error) {
      if (this.database.isTransaction) this.database.exec("ROLLBACK");
      return `${error.errcode ?? error.code ?? error.name} ${error.message}`.slice(0, 200);
    }
  }
}

// Blobs and large integers are objects.
function value(json) {
  if (json === null || typeof json !== "object") return json;
  return "b" in json ? Buffer.from(json.b, "hex") : BigInt(json.i);
}

class WorkerPool {
  constructor(setup) {
    this.waiting = [];
    this.idle = Array.from({ length: setup.readers ?? 4 }, () => {
      const worker = new Worker(new URL(import.meta.url), { workerData: setup });
      worker.on("message", (times) => {
        worker.done(times);
        const waiter = this.waiting.shift();
        if (waiter) waiter(worker);
        else this.idle.push(worker);
      });
      return worker;
    });
  }

  async perform(request) {
    const start = now();
    const worker =
      this.idle.pop() ?? (await new Promise((resolve) => this.waiting.push(resolve)));
    const done = new Promise((resolve) => (worker.done = resolve));
    worker.postMessage(request);
    const [entry, end, result] = await done;
    return [entry - start, end - entry, result];
  }
}

function serve(path, perform) {
  const socket = createConnection(path);
  let rest = "";
  let last = Promise.resolve();
  socket.setEncoding("utf8");
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    // Accesses of a lane run one after another.
    for (const line of lines) last = last.then(() => answer(socket, JSON.parse(line), perform));
  });
}

async function answer(socket, requests, perform) {
  const answers = [];
  for (const request of requests) {
    const times = perform(request);
    answers.push(...(times instanceof Promise ? await times : times));
  }
  socket.write(JSON.stringify(answers) + "\n");
}

function start(setup) {
  if (setup.busyPause != null) throw new Error("node:sqlite has no constant pause; remove 'retry'");
  const connection = new Connection(setup);
  const sqlite = connection.database.prepare("SELECT sqlite_version() AS version").get().version;
  const answer = { ready: true, runtime: `Node.js ${process.versions.node}`, sqlite };
  if (setup.options.workers === "true") {
    const pool = new WorkerPool(setup);
    return [answer, (request) => pool.perform(request)];
  }
  return [answer, (request) => {
    const entry = now();
    const result = connection.perform(request);
    return [0, now() - entry, result];
  }];
}

if (isMainThread) {
  let perform;
  const input = createInterface({ input: process.stdin });
  input.on("line", (line) => {
    const message = JSON.parse(line);
    if (perform) {
      for (let lane = 0; lane < message.lanes; lane += 1) serve(message.socket, perform);
      return;
    }
    let answer;
    try { [answer, perform] = start(message); } catch (error) { answer = { error: error.message }; }
    console.log(JSON.stringify(answer));
  });
  input.on("close", () => process.exit());
} else {
  const connection = new Connection(workerData);
  parentPort.on("message", (request) => {
    const entry = now();
    const result = connection.perform(request);
    parentPort.postMessage([entry, now(), result]);
  });
}
