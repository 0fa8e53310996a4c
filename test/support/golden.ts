import { readdir, readFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { http, startHostile } from './hostile-service.ts';
import { openWorld, type World } from './run.ts';

type Body = Readonly<Record<string, unknown>>;

/** How the service answers one create. Default: 201 with the record. */
export interface Reply {
  readonly status?: number;
  /** With an id, it is the stored record too. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: if the status is below 300. */
  readonly isStored?: boolean;
  /** Ends the connection instead of a response. */
  readonly isLost?: boolean;
}

/** @param nth the number of creates that arrived, this one included */
type Replies = (body: Body, nth: number) => Reply | undefined;

interface Books {
  readonly items?: readonly Body[];
  readonly orders?: readonly Body[];
  readonly sectors?: readonly Body[];
}

/** A service with lists, whose answers to creates and reads the scene decides, also while it plays. */
async function startBooks({ items = [], orders = [], sectors = [] }: Books) {
  const lists: Record<string, Body[]> = {
    items: [...items],
    orders: [...orders],
    sectors: [...sectors],
  };
  const writes: string[] = [];
  const state = {
    reply: (() => undefined) as Replies,
    /** Answers a read instead of the list. */
    read: (_path: string): Reply | undefined => undefined,
    /** Whether lists ignore their parameters. */
    isUnpaged: false,
  };
  const ids = new Set<string>();
  /** E.g. `new-A-1`: the ids do not depend on the order in which rows arrive. */
  const newId = ({ code, reference, title, name }: Body): string => {
    const key = `new-${code ?? reference ?? title ?? name ?? 'record'}`;
    const id = ids.has(key) ? `${key}-${ids.size}` : key;
    ids.add(id);
    return id;
  };
  const service = await startHostile((socket, { method, line, body: text }) => {
    const url = new URL(line.split(' ')[1]!, 'http://x');
    const noun = url.pathname.split('/')[3]!;
    const answer = (status: number, body: unknown, headers = {}) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      // On a shared connection, chance decides whether a refusal is believed or looked up.
      socket.end(http(status, text, { connection: 'close', ...headers }));
    };
    if (method === 'GET') {
      const { status, body, headers, isLost } = state.read(url.pathname) ?? {};
      if (isLost === true) socket.resetAndDestroy();
      else if (status !== undefined) answer(status, body ?? '', headers);
      else answer(200, state.isUnpaged ? lists[noun] : page(lists[noun] ?? [], url.searchParams));
      return;
    }
    const body = JSON.parse(text) as Body;
    const reply = state.reply(body, writes.length + 1) ?? {};
    const id = newId(body);
    const own = noun === 'requisitions' ? { requisitionId: id } : { ...body, id };
    const record = hasId(reply.body) ? reply.body : own;
    const { status = 201, isStored = status < 300, isLost } = reply;
    if (isStored) lists[noun]?.push(record);
    writes.push(`${method} ${url.pathname.slice(7)} ${text} → ${isLost ? 'lost' : status}`);
    if (isLost === true) socket.resetAndDestroy();
    else answer(status, 'body' in reply ? reply.body : record, reply.headers);
  });
  return { ...service, lists, state, writes };
}

function hasId(body: unknown): body is Body {
  return typeof body === 'object' && body !== null && 'id' in body;
}

function page(rows: readonly Body[], query: URLSearchParams): readonly Body[] {
  const by = query.get('sort');
  const way = query.get('dir') === 'desc' ? -1 : 1;
  const sorted =
    by === null ? rows : rows.toSorted((a, b) => (String(a[by]) < String(b[by]) ? -way : way));
  const from = Number(query.get('offset') ?? 0);
  return sorted.slice(from, from + Number(query.get('limit') ?? 20));
}

/** Where a scene plays. */
export interface Place {
  readonly world: World;
  readonly service: Awaited<ReturnType<typeof startBooks>>;
  /** The ids of runs, in the order in which they were printed. */
  readonly runs: readonly string[];
}

/** A name and a command line without `proc`, or something that happens between two of them. */
type Line =
  | readonly [name: string, line: string]
  | readonly [name: string, line: string, input: string]
  | ((place: Place) => unknown);

export interface Scene {
  readonly title: string;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly books?: Books;
  readonly replies?: Replies;
  readonly env?: Readonly<Record<string, string>>;
  readonly lines: readonly Line[];
}

/** Rows are sent one after the other, and unconfirmed rows are looked up at once. */
const TUNE = ' PROC_CONCURRENCY=1 PROC_SETTLE=20ms PROC_PATIENCE=1s';
const TUNE_RESOLVE = ' PROC_SETTLE=20ms';

/**
 * Plays a scene in a fresh world and returns what a user sees: each command line with its exit code, its output,
 * the requests that changed something, and the files that it wrote. In a line, `RUN2` is the second run that was
 * printed, `DIGEST1` the first digest, and `ENTRY1` the first entry of the history.
 */
export async function transcript(scene: Scene): Promise<string> {
  const { files = {}, books = {}, replies, env = {}, lines } = scene;
  await using service = await startBooks(books);
  await using world = await openWorld({
    PROC_BASE_URL: service.baseUrl,
    PROC_API_KEY: 'k',
    ...env,
  });
  if (replies !== undefined) service.state.reply = replies;
  for (const [name, content] of Object.entries(files)) await world.file(name, content);
  const names = new Names(world, service.port);
  const seen = new Map<string, string>(await contents(world.cwd));
  const shown: string[] = [];
  for (const line of lines) {
    if (typeof line === 'function') {
      await line({ world, service, runs: names.runs });
      for (const [name, content] of await contents(world.cwd)) seen.set(name, content);
      continue;
    }
    const [title, text, input] = line;
    const typed = names.filledIn(text);
    const words = wordsOf(isSending(typed) ? typed + tuneOf(typed) : typed);
    const sent = service.writes.length;
    const ran = await world.run(words, { ...(input === undefined ? {} : { input }) });
    const parts = [`## ${title}`, `$ proc ${text}`, `exit ${ran.exitCode}`];
    if (ran.stdout !== '') parts.push(compact(ran.stdout));
    if (ran.stderr !== '') parts.push(`stderr:\n${ran.stderr.trimEnd()}`);
    if (service.writes.length > sent) parts.push(service.writes.slice(sent).join('\n'));
    for (const [name, content] of await contents(world.cwd)) {
      if (seen.get(name) !== content) parts.push(`${name}:\n${content.trimEnd()}`);
      seen.set(name, content);
    }
    shown.push(`${names.replaced(parts.join('\n'))}\n`);
  }
  return shown.join('\n');
}

/** Splits a line as a shell does, without its expansions. */
function wordsOf(line: string): string[] {
  return (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''));
}

function isSending(line: string): boolean {
  return /^(\w+ import|imports (resume|resolve))\b/.test(line) && !line.includes(' --dry-run');
}

const tuneOf = (line: string): string => (line.startsWith('imports resolve') ? TUNE_RESOLVE : TUNE);

/** The files of the working directory. Of a binary file, only that it exists. */
async function contents(folder: string): Promise<[string, string][]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  return Promise.all(
    names.sort().map(async (name): Promise<[string, string]> => {
      const bytes = await readFile(join(folder, name));
      const isText = !/\.(xlsx|gz|html)$/.test(name) && !bytes.includes(0);
      return [name, isText ? bytes.toString('utf8').replaceAll('\r', '') : '(not text)'];
    }),
  );
}

/** JSON with an object or array on one line if it fits; other text as it is. */
function compact(text: string): string {
  try {
    return folded(JSON.parse(text), '');
  } catch {
    return text.trimEnd();
  }
}

function folded(value: unknown, indent: string): string {
  const flat = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || flat.length + indent.length <= 110)
    return flat;
  // E.g. a row of a list, also with its payload.
  const isLong = (one: unknown) => typeof one === 'object' && JSON.stringify(one).length > 80;
  if (indent !== '' && !Object.values(value).some(isLong)) return flat;
  const deeper = `${indent}  `;
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((one) => folded(one, deeper))
    : Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${folded(one, deeper)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return `${open}\n${members.map((one) => deeper + one).join(',\n')}\n${indent}${close}`;
}

/** Names for what differs from time to time and from machine to machine. */
class Names {
  readonly #world: World;
  readonly #port: number;
  readonly runs: string[] = [];
  readonly #entries: string[] = [];
  readonly #digests: string[] = [];
  readonly #keys: string[] = [];

  constructor(world: World, port: number) {
    this.#world = world;
    this.#port = port;
  }

  filledIn(line: string): string {
    return line
      .replace(/RUN(\d+)/g, (_, nth) => this.runs[nth - 1]!)
      .replace(/ENTRY(\d+)/g, (_, nth) => this.#entries[nth - 1]!)
      .replace(/DIGEST(\d+)/g, (_, nth) => `sha256:${this.#digests[nth - 1]}`);
  }

  replaced(text: string): string {
    const { cwd, stateDir, configDir, folder } = this.#world;
    const two = (count: number) => String(count).padStart(2, '0');
    return text
      .replaceAll(cwd, 'CWD')
      .replaceAll(stateDir, 'STATE')
      .replaceAll(configDir, 'CONFIG')
      .replaceAll(folder, 'HOME')
      .replaceAll(`:${this.#port}`, ':12345')
      .replaceAll(TUNE, '')
      .replaceAll(TUNE_RESOLVE, '')
      .replaceAll(new RegExp(`\\b${accountName()} on ${hostname()}\\b`, 'g'), 'USER on HOST')
      .replace(/("(?:user|host)": ?)"[^"]*"/g, '$1"…"')
      .replace(/^((?:USER|HOST) {4,}).*$/gm, '$1…')
      .replace(
        /\b\d{8}-\d{6}-[0-9a-f]{6}\b/g,
        (id) => `20260101-000000-0000${two(nthOf(id, this.runs))}`,
      )
      .replace(/\bh-[0-9a-z]{6}\b/g, (id) => `h-0000${two(nthOf(id, this.#entries))}`)
      .replace(/\b[0-9a-f]{64}\b/g, (id) => `(hash ${nthOf(id, this.#digests)})`)
      .replace(/\bkey-[0-9a-f]{8,}/g, (id) => `key-${nthOf(id, this.#keys)}`)
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-01-01T00:00:00.000Z')
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?( [+-]\d\d:\d\d)?/g, '2026-01-01 00:00')
      .replace(/("seconds": ?|SECONDS +|took \| )\d+([.,]\d+)?/g, '$10');
  }
}

/** The number of an id from 1, which it gets when it is first seen. */
function nthOf(id: string, seen: string[]): number {
  if (!seen.includes(id)) seen.push(id);
  return seen.indexOf(id) + 1;
}

/** The name of the account that runs the tests. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
