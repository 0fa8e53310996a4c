import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { type Beginning, openSandboxDatabase } from '../database/database.ts';
import { Store } from '../database/sandbox-store.ts';
import { Writer } from '../database/writer.ts';
import { parseFaults } from '../faults/behaviour.ts';
import { faultDrawer } from '../faults/faults.ts';
import { BASE_PATH, buildApp } from './app.ts';
import type { Exchanges } from './exchange.ts';
import { refusal, send } from './http.ts';
import { closeServer, HOST, isOurHost, listenOn } from './listen.ts';
import { Problem } from './problem.ts';
import { SANDBOX_KEYS, type SandboxKey } from './sandbox-keys.ts';

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
  /**
   * Ends all connections, commits waiting writes and removes a temporary database. Calling it twice
   * is allowed.
   */
  close(): Promise<void>;
}

/**
 * Starts a real HTTP server of the complete API, on loopback, with a real SQLite file.
 *
 * @throws ProcError `sandbox_conflict` if the port or database is in use; `invalid_usage` and
 *   `invalid_setting` for an invalid option
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const plan = options.faults === undefined ? undefined : parseFaults(options.faults);
  const folder =
    options.db === undefined ? await mkdtemp(join(tmpdir(), 'proc-sandbox-')) : undefined;
  const dbPath = options.db ?? join(folder!, 'sandbox.db');
  const removeFolder = () => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  let opened: ReturnType<typeof openSandboxDatabase> | undefined;
  try {
    opened = openSandboxDatabase(dbPath, options);
    const { database } = opened;
    const store = new Store(database);
    const writer = new Writer(database);
    const late = new LateCommits();
    const shared: Exchanges = {
      writer,
      draw: plan === undefined ? undefined : faultDrawer(plan),
      lateCommitMs: plan?.lateCommitMs ?? 0,
      later: (ms, commit) => late.add(ms, commit),
      nextRequestId: requestIds(),
    };
    const base = options.isPlace === true ? `/${opened.id}${BASE_PATH}` : BASE_PATH;
    const app = buildApp(store, shared, base);
    // Without this option, Node's global Request and Response would change for all code in this
    // process.
    const listen = getRequestListener(app.fetch, { overrideGlobalObjects: false });
    const server = createServer({ keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
      if (options.onRequest !== undefined) logRequest(incoming, outgoing, options.onRequest);
      if (isOurHost(incoming)) void listen(incoming, outgoing);
      else send(outgoing, shared.nextRequestId(), refusal(FOREIGN_HOST));
    });
    const port = await listenOn(server, options.port ?? 0);
    const end = opened;
    let closing: Promise<void> | undefined;
    return {
      baseUrl: `http://${HOST}:${port}${base}`,
      port,
      dbPath,
      keys: SANDBOX_KEYS,
      samples: samples(store),
      close() {
        closing ??= closeServer(server).then(() => {
          late.flush();
          writer.flush();
          end.close();
          removeFolder();
        });
        return closing;
      },
    };
  } catch (thrown) {
    opened?.close();
    removeFolder();
    throw thrown;
  }
}

const FOREIGN_HOST = new Problem(
  403,
  'The sandbox responds only to localhost, 127.0.0.1 and [::1] with its own port in the Host header',
);

function requestIds(): () => string {
  const start = Date.now().toString(36);
  let count = 0;
  return () => `sbx-${start}-${++count}`;
}

function logRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onRequest: (entry: RequestLog) => void,
): void {
  const began = performance.now();
  outgoing.once('close', () => {
    onRequest({
      method: incoming.method!,
      path: incoming.url!,
      status: outgoing.headersSent ? outgoing.statusCode : undefined,
      ms: performance.now() - began,
    });
  });
}

function samples({ database }: Store): string | undefined {
  const ids = database
    .prepare("SELECT id FROM addresses WHERE id LIKE 'adr-%' ORDER BY seq LIMIT 5")
    .all();
  const order = database.prepare("SELECT code FROM orders WHERE id = 'po-1'").get();
  if (ids.length === 0 || order === undefined) return undefined;
  return `proc orders list, proc orders get ${order.code}, proc items list, proc sectors list, addresses ${ids[0]!.id} … ${ids.at(-1)!.id}`;
}

/**
 * Delayed commits of requests that were cut off. When the sandbox stops, all waiting commits run at
 * once.
 */
class LateCommits {
  readonly #waiting = new Map<NodeJS.Timeout, () => void>();

  add(ms: number, commit: () => void): void {
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      commit();
    }, ms);
    this.#waiting.set(timer, commit);
  }

  flush(): void {
    for (const [timer, commit] of this.#waiting) {
      clearTimeout(timer);
      commit();
    }
    this.#waiting.clear();
  }
}
