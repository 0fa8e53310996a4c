import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dialectFor, parseDialect } from '../../src/config/settings.ts';
import {
  type RequestLog,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/server.ts';

/** How the lists of a service differ from those of the sandbox. */
export interface Ways {
  /** As `PROC_LIST_NAMES`: `limit=pageSize,offset=skip`. */
  readonly dialect?: string | undefined;
  /** `unknown=refuse`: 400 for parameters it does not know. `collation=nocase`, `collation=unaccented`: how it sorts. */
  readonly habits?: string | undefined;
}

const PAGE = 100;
const DEFAULT_LIMIT = 20;

const FOLDS: Readonly<Record<string, (text: string) => string>> = {
  nocase: (text) => text.toLowerCase(),
  unaccented: (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase(),
};

export type OwnOptions = SandboxOptions & Ways;

/** A sandbox in this process; with a dialect or habits, behind a service that has them. */
export async function startOwnSandbox({
  dialect,
  habits,
  onRequest,
  ...options
}: OwnOptions = {}): Promise<Sandbox> {
  const isPlain = !dialect && !habits;
  const sandbox = await startSandbox({ ...options, ...(isPlain ? { onRequest } : {}) });
  return isPlain ? sandbox : inFrontOf(sandbox, { dialect, habits }, onRequest);
}

/** A service with other ways in front of a sandbox. */
async function inFrontOf(
  sandbox: Sandbox,
  { dialect = '', habits = '' }: Ways,
  onRequest?: (entry: RequestLog) => void,
): Promise<Sandbox> {
  const settings = parseDialect(dialect, 'dialect');
  const words = new Map(habits.split(',').map((word) => word.split('=') as [string, string]));
  const fold = FOLDS[words.get('collation') ?? ''];
  const refuses = words.get('unknown') === 'refuse';
  const agent = new Agent({ keepAlive: true });

  const list = async (noun: string, query: URLSearchParams, incoming: IncomingMessage) => {
    const names = dialectFor(settings, noun);
    const [limitName, offsetName] =
      names.paging === 'none' ? [] : [names.limit, names.page ?? names.offset];
    const known = noun === 'sectors' ? [] : [limitName, offsetName, names.sort, names.dir];
    const stranger = [...query.keys()].find((name) => !known.includes(name));
    if (refuses && stranger !== undefined) return refusal(stranger);
    const value = (name: string | undefined) =>
      (name === undefined ? null : query.get(name)) ?? undefined;
    const asked = new URLSearchParams();
    const limit = value(limitName);
    let offset = value(offsetName);
    if (names.page !== undefined && offset !== undefined) {
      const index = Number(offset) - names.pageBase;
      if (!(index >= 0)) return refusal(names.page);
      offset = String(index * Number(limit ?? DEFAULT_LIMIT));
    }
    for (const [name, text] of Object.entries({
      limit,
      offset,
      sort: value(names.sort),
      dir: value(names.dir),
    })) {
      if (text !== undefined) asked.set(name, text);
    }
    const isFolded = fold !== undefined && asked.has('sort');
    if (noun === 'sectors' || (names.paging !== 'none' && !isFolded)) {
      return get(`/${noun}/?${asked}`, incoming);
    }
    asked.delete('limit');
    asked.delete('offset');
    const whole = await everything(noun, asked, incoming);
    if (typeof whole === 'string') return { status: 400, text: whole };
    const rows = isFolded ? sorted(whole, asked, fold) : whole;
    const from = names.paging === 'none' ? 0 : Number(offset ?? 0);
    const count = names.paging === 'none' ? rows.length : Number(limit ?? DEFAULT_LIMIT);
    return { status: 200, text: JSON.stringify(rows.slice(from, from + count)) };
  };

  const everything = async (noun: string, asked: URLSearchParams, incoming: IncomingMessage) => {
    const rows: Record<string, string | undefined>[] = [];
    for (let offset = 0; ; offset += PAGE) {
      const query = `${asked}&limit=${PAGE}&offset=${offset}`;
      const { status, text } = await get(`/${noun}/?${query}`, incoming);
      if (status !== 200) return text;
      const page = JSON.parse(text) as typeof rows;
      rows.push(...page);
      if (page.length < PAGE) return rows;
    }
  };

  const get = (path: string, { headers }: IncomingMessage) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const { host: _, ...rest } = headers;
      const sent = request(`${sandbox.baseUrl}${path}`, { agent, headers: rest }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode!, text }));
      });
      sent.on('error', reject).end();
    });

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method, url, headers } = incoming;
    const { origin, host } = new URL(sandbox.baseUrl);
    const own = { agent, method: method!, headers: { ...headers, host } };
    const sent = request(`${origin}${url}`, own, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers);
      response.pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    incoming.pipe(sent);
  };

  const server = createServer((incoming, outgoing) => {
    const began = performance.now();
    outgoing.once('close', () => {
      const { method, url } = incoming;
      const ms = performance.now() - began;
      onRequest?.({ method: method!, path: url!, status: outgoing.statusCode, ms });
    });
    const found = /^\/api\/v1\/(orders|items|sectors)\/(?:\?(.*))?$/s.exec(incoming.url!);
    if (incoming.method !== 'GET' || found === null) return forward(incoming, outgoing);
    list(found[1]!, new URLSearchParams(found[2] ?? ''), incoming).then(
      ({ status, text }) => {
        outgoing.writeHead(status, { 'content-type': 'application/json' }).end(text);
      },
      () => outgoing.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...sandbox,
    port,
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    async close() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await sandbox.close();
    },
  };
}

function refusal(name: string): { status: number; text: string } {
  const detail = `${name}: is not a parameter of this endpoint`;
  return { status: 400, text: JSON.stringify({ title: 'Bad Request', status: 400, detail }) };
}

function sorted<R extends Readonly<Record<string, string | undefined>>>(
  rows: readonly R[],
  asked: URLSearchParams,
  fold: (text: string) => string,
): R[] {
  const of = (row: R) => fold(row[asked.get('sort')!] ?? '');
  const ascending = rows.toSorted((a, b) => (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0));
  return asked.get('dir') === 'desc' ? ascending.reverse() : ascending;
}
