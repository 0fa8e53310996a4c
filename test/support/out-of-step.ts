import { createServer, type Socket } from 'node:net';
import { randomFrom } from './random.ts';

/** Faults of responses. Numbers such as `swap` are probabilities in [0, 1], for each response. */
export interface Steps {
  readonly seed: number;
  readonly twice201?: number;
  /** A request is rejected with 429 before anything is stored. */
  readonly turnedAway?: number;
  readonly twice429?: number;
  readonly twice400?: number;
  /** Up to 3 ms after a 201, sends an unsolicited 503 with Retry-After and closes the connection. */
  readonly late503?: number;
  /** Two responses are swapped between their connections. */
  readonly swap?: number;
  /** Chooses the fault of the nth request (from 1) with this code or title. */
  readonly script?: (key: string, nth: number) => Step | undefined;
  /** Accepted requests per second. The others get 429 with `Retry-After: 1`. */
  readonly rate?: number;
  readonly listMs?: number;
  /** Codes are stored in lower case. */
  readonly lowers?: boolean;
  /** The 429 of `rate` closes the connection. */
  readonly closesAway?: boolean;
}

/**
 * `swapped`: exchanged with the next `swapped` response. `twice`: said again when the next request of the
 * connection arrives. `cut`: the connection ends, and nothing is stored.
 */
type Step = 'swapped' | 'twice' | 'turned away' | 'turned away, swapped' | 'cut';

interface Stored {
  readonly id: string;
  readonly code: string;
  readonly name: string;
}

export interface OutOfStep extends AsyncDisposable {
  readonly baseUrl: string;
  /** The ids that were stored under each code or title, in order of arrival. */
  readonly books: ReadonlyMap<string, readonly string[]>;
  /** By code or title: the status of each response, and which response arrived in its place. */
  readonly story: ReadonlyMap<string, readonly string[]>;
  readonly counts: { requests: number; turnedAway: number; faults: number };
  close(): Promise<void>;
}

/** The service rejects names that begin with this, with 400. */
export const REFUSED_NAME = 'refused';

/** Takes the place of the body of a list request. `story` uses the code. */
const LIST = { code: 'a list', name: undefined, title: undefined };

const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * A service over bare TCP for items and requisitions. `books` records what it stored, `story` what it answered.
 */
export async function startOutOfStep(steps: Steps): Promise<OutOfStep> {
  const random = randomFrom(steps.seed);
  const books = new Map<string, string[]>();
  const story = new Map<string, string[]>();
  const items: Stored[] = [];
  let sorted: Stored[] | undefined;
  const counts = { requests: 0, turnedAway: 0, faults: 0 };
  const sockets = new Set<Socket>();
  const again = new Map<Socket, string>();
  const bucket = { tokens: steps.rate ?? 0, last: Date.now() };
  let nextId = 0;
  /** The first response of a swap, which waits for the second one. */
  let swapping: { socket: Socket; key: string; bytes: string; timer: NodeJS.Timeout } | undefined;

  const happens = (share: number | undefined) => share !== undefined && random() < share;
  const write = (socket: Socket, bytes: string) => {
    if (!socket.destroyed) socket.write(bytes);
  };
  const store = (key: string) => {
    const id = `id-${++nextId}`;
    const ids = books.get(key);
    if (ids === undefined) books.set(key, [id]);
    else ids.push(id);
    return id;
  };

  const note = (key: string, what: string) => {
    const lines = story.get(key);
    if (lines === undefined) story.set(key, [what]);
    else lines.push(what);
  };

  const scripted = (key: string) => {
    const said = story.get(key)?.filter((line) => !line.startsWith('but')) ?? [];
    return steps.script?.(key, said.length + 1);
  };

  const say = (socket: Socket, status: number, key: string, bytes: string) => {
    const step = scripted(key);
    note(key, `${status}`);
    const mayTake = steps.script === undefined || step?.endsWith('swapped') === true;
    if (swapping !== undefined && swapping.socket !== socket && mayTake) {
      const other = swapping;
      swapping = undefined;
      clearTimeout(other.timer);
      note(key, `but got ${other.bytes.slice(9, 12)} of ${other.key}`);
      note(other.key, `but got ${status} of ${key}`);
      write(other.socket, bytes);
      write(socket, other.bytes);
      return;
    }
    const isSwapped = step?.endsWith('swapped') === true || happens((steps.swap ?? 0) / 2);
    if (swapping === undefined && isSwapped) {
      counts.faults += 2;
      const timer = setTimeout(
        () => {
          swapping = undefined;
          write(socket, bytes);
        },
        step === undefined ? 20 : 300,
      );
      swapping = { socket, key, bytes, timer };
      return;
    }
    write(socket, bytes);
    const twice = { 201: steps.twice201, 429: steps.twice429, 400: steps.twice400 }[status];
    if (step === 'twice') again.set(socket, bytes);
    if (happens(twice)) {
      counts.faults++;
      if (random() < 0.5) write(socket, bytes);
      else setTimeout(() => write(socket, bytes), random() * 3);
    }
    if (status === 201 && happens(steps.late503)) {
      counts.faults++;
      setTimeout(() => {
        write(socket, AWAY_503);
        socket.end();
      }, random() * 3);
    }
  };

  const isAway = () => {
    if (happens(steps.turnedAway)) return AWAY;
    if (steps.rate === undefined) return undefined;
    const now = Date.now();
    bucket.tokens = Math.min(steps.rate, bucket.tokens + ((now - bucket.last) / 1000) * steps.rate);
    bucket.last = now;
    if (bucket.tokens < 1) return steps.closesAway === true ? AWAY_CLOSED : AWAY_1S;
    bucket.tokens--;
    return undefined;
  };

  const onRequest = (socket: Socket, method: string, path: string, body: string) => {
    counts.requests++;
    write(socket, again.get(socket) ?? '');
    again.delete(socket);
    const { code, name, title } = method === 'GET' ? LIST : JSON.parse(body);
    const key: string = code ?? title;
    const step = scripted(key);
    if (step === 'cut') {
      note(key, step);
      socket.destroy();
      return;
    }
    const away = step?.startsWith('turned away') === true ? AWAY : isAway();
    if (away !== undefined) {
      counts.turnedAway++;
      say(socket, 429, key, away);
      if (away === AWAY_CLOSED) socket.end();
      return;
    }
    if (method === 'GET') {
      if (path.includes('sort=')) sorted ??= items.toSorted(byCode);
      const bytes = http(200, JSON.stringify(page(path, sorted, items)));
      if (steps.listMs === undefined) say(socket, 200, key, bytes);
      else setTimeout(() => say(socket, 200, key, bytes), steps.listMs);
      return;
    }
    if ((name ?? title).startsWith(REFUSED_NAME)) {
      say(socket, 400, key, http(400, '{"message":"refused by name"}'));
      return;
    }
    const id = store(key);
    if (title !== undefined) {
      say(socket, 201, key, http(201, JSON.stringify({ requisitionId: id })));
      return;
    }
    const item = { id, code: steps.lowers === true ? code.toLowerCase() : code, name };
    items.push(item);
    sorted = undefined;
    say(socket, 201, key, http(201, JSON.stringify(item)));
  };

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    let bytes: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      for (;;) {
        const end = bytes.indexOf(END_OF_HEAD);
        if (end < 0) return;
        const head = bytes.toString('latin1', 0, end);
        const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
        const after = end + 4 + length;
        if (bytes.length < after) return;
        const [method = '', path = ''] = head.split(' ', 2);
        const body = bytes.toString('utf8', end + 4, after);
        bytes = bytes.subarray(after);
        onRequest(socket, method, path, body);
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((done) => server.close(() => done()));
  };
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    books,
    story,
    counts,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function http(status: number, body: string, more = ''): string {
  return `HTTP/1.1 ${status} Whatever\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`;
}

const AWAY = http(429, '{"message":"too many"}', 'retry-after: 0\r\n');
const AWAY_1S = http(429, '{"message":"too many"}', 'retry-after: 1\r\n');
const AWAY_CLOSED = http(429, '{"message":"too many"}', 'retry-after: 1\r\nconnection: close\r\n');
const AWAY_503 = http(503, '{"message":"busy"}', 'retry-after: 0\r\nconnection: close\r\n');

function page(path: string, sorted: readonly Stored[] | undefined, items: readonly Stored[]) {
  const query = new URL(path, 'http://x').searchParams;
  const offset = Number(query.get('offset') ?? 0);
  const limit = Number(query.get('limit') ?? 100);
  const rows = query.has('sort') ? sorted! : items;
  return rows.slice(offset, offset + limit);
}

function byCode(one: Stored, other: Stored): number {
  return one.code < other.code ? -1 : one.code > other.code ? 1 : 0;
}
