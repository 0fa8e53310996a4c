import { hash } from 'node:crypto';
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { ProcError, systemCode } from '../core/errors.ts';
import { openDatabase, tryLock } from '../store/database.ts';
import { makeFolder } from '../store/folder.ts';
import { BASE_PATH, buildApp, type Exchanges } from './app.ts';
import { faultDrawer, parseFaults } from './faults.ts';
import { type Beginning, fill, SANDBOX_KEYS, type SandboxKey } from './seed.ts';
import { SCHEMA, Store } from './store.ts';

export interface SandboxOptions extends Beginning {
  /** Port 0 (default) means any free port. */
  readonly port?: number;
  /** The database file (default: a new one in a temporary folder, removed at the end). */
  readonly db?: string | undefined;
  /** The address contains the id of the database, so that another database is another service. */
  readonly isPlace?: boolean;
  /** As `--faults` (see {@link parseFaults}). */
  readonly faults?: string | undefined;
  readonly onRequest?: ((entry: RequestLog) => void) | undefined;
}

export interface RequestLog {
  readonly method: string;
  readonly path: string;
  /** Undefined if the connection ended without a response. */
  readonly status: number | undefined;
  readonly ms: number;
}

export interface Sandbox {
  /** With `/api/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  readonly dbPath: string;
  readonly keys: readonly SandboxKey[];
  /** Commands to try; undefined without sample data. */
  readonly samples: string | undefined;
  /** Ends all connections, commits waiting writes and removes a temporary database. */
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

/**
 * Starts a real HTTP server of the complete API, on loopback, with a real SQLite file.
 *
 * @throws ProcError `busy` if the port or database is in use; `invalid_usage` for an invalid option
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { db, faults, isPlace = false, onRequest } = options;
  const plan = faults === undefined ? undefined : parseFaults(faults);
  const folder = db === undefined ? await mkdtemp(join(tmpdir(), 'proc-sandbox-')) : undefined;
  const dbPath = db ?? join(folder!, 'sandbox.db');
  const started = Date.now().toString(36);
  let requests = 0;
  let opened: ReturnType<typeof openStore> | undefined;
  const end = () => {
    opened?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    opened = openStore(dbPath, options);
    const { store, id } = opened;
    const shared: Exchanges = {
      draw: plan && faultDrawer(plan),
      lateCommitMs: plan?.lateCommitMs ?? 0,
      later: (ms, commit) => void setTimeout(commit, ms).unref(),
      nextRequestId: () => `sbx-${started}-${++requests}`,
    };
    const base = isPlace ? `/${id}${BASE_PATH}` : BASE_PATH;
    // Without this option, Node's global Request and Response would change for all code in this process.
    const listen = getRequestListener(buildApp(store, shared, base).fetch, {
      overrideGlobalObjects: false,
    });
    const server = createServer({ keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
      if (onRequest !== undefined) logRequest(incoming, outgoing, onRequest);
      void listen(incoming, outgoing);
    });
    const port = await listenOn(server, options.port ?? 0);
    let closing: Promise<void> | undefined;
    return {
      baseUrl: `http://${HOST}:${port}${base}`,
      port,
      dbPath,
      keys: SANDBOX_KEYS,
      samples: samplesOf(store),
      close() {
        closing ??= new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }).then(end);
        return closing;
      },
    };
  } catch (thrown) {
    end();
    throw thrown;
  }
}

/** Marks a file as a sandbox database of this version (`PRAGMA application_id`). */
const APPLICATION_ID = Number.parseInt(hash('sha1', SCHEMA).slice(0, 7), 16);

/**
 * Opens the database and locks it against a second server. Creates and seeds a new file.
 *
 * Commits do not wait for the disk (`synchronous = NORMAL`). An acknowledged write survives `kill
 * -9`, but a power failure may lose it.
 *
 * @throws ProcError `busy` if another sandbox uses the file, or if it exists and `beginning` wants a new one;
 * `invalid_usage` if another program or another version of proc created the file
 */
function openStore(path: string, beginning: Beginning) {
  makeFolder(dirname(path));
  // A separate file, so that other programs can still read the database.
  const lock = tryLock(`${existsSync(path) ? realpathSync(path) : path}-lock`);
  if (lock === undefined) {
    throw new ProcError('busy', `a running sandbox uses ${path}`, {
      hint: 'Stop it with Ctrl-C in its terminal, or start a separate one: proc sandbox start --port 0',
    });
  }
  const database = openDatabase(path, { synchronous: 'NORMAL' });
  const close = () => {
    database.close();
    lock.release();
  };
  try {
    database.exec('PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4000');
    const store = new Store(database);
    const isNew = database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()!.n === 0;
    if (isNew) {
      store.transaction(() => {
        database.exec(`${SCHEMA} PRAGMA application_id = ${APPLICATION_ID}`);
        fill(store, beginning);
      });
    } else
      refuseExisting(
        database.prepare('PRAGMA application_id').get()!.application_id,
        path,
        beginning,
      );
    return { store, id: String(database.prepare('SELECT id FROM database').get()!.id), close };
  } catch (thrown) {
    close();
    throw thrown;
  }
}

function refuseExisting(application: unknown, path: string, { empty, seed }: Beginning): void {
  const flag = empty === true ? '--empty' : seed === undefined ? undefined : '--seed';
  const isOurs = application === APPLICATION_ID;
  if (isOurs && flag === undefined) return;
  const why = isOurs
    ? `exists, but ${flag} needs a new database`
    : 'is not a sandbox database of this version of proc';
  throw new ProcError('invalid_usage', `${path} ${why}`, {
    hint: 'Delete the file, or use another one: proc sandbox start --db other.db',
  });
}

function logRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onRequest: (entry: RequestLog) => void,
): void {
  const began = performance.now();
  outgoing.once('close', () => {
    const { headersSent, statusCode } = outgoing;
    const ms = performance.now() - began;
    const status = headersSent ? statusCode : undefined;
    onRequest({ method: incoming.method!, path: incoming.url!, status, ms });
  });
}

/**
 * @returns the port; for 0, the port that the system chose
 * @throws ProcError `busy`
 */
function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const isUsed = systemCode(cause) === 'EADDRINUSE';
      const why = isUsed ? 'is already in use' : `cannot be used: ${cause.message}`;
      const hint = 'Use any free port: proc sandbox start --port 0';
      reject(new ProcError('busy', `port ${port} ${why}`, { hint, cause }));
    });
    server.listen({ port, host: HOST }, () => resolve((server.address() as AddressInfo).port));
  });
}

function samplesOf(store: Store): string | undefined {
  const ids = store
    .prepare("SELECT id FROM addresses WHERE id LIKE 'adr-%' ORDER BY seq LIMIT 5")
    .all();
  const order = store.find('orders', 'po-1');
  if (ids.length === 0 || order === undefined) return undefined;
  return `proc orders list, proc orders get ${order.code}, proc items list, proc sectors list, addresses ${ids[0]!.id} … ${ids.at(-1)!.id}`;
}
