import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandSpec } from '../../src/core/command-spec.ts';
import { sharedFlags } from '../../src/core/global-flags.ts';
import { kebab } from '../../src/core/wording.ts';
import { commandsOf, NOUNS } from '../../src/registry.ts';
import { atNight } from '../support/at-night.ts';
import {
  type HostileService,
  http,
  type Responder,
  startHostile,
} from '../support/hostile-service.ts';
import { assumeFirstRuns, runHere } from '../support/in-process.ts';
import { openWorld, type Ran, type World } from '../support/run.ts';
import { decodings, spellingsOf } from '../support/spellings.ts';

assumeFirstRuns();

/** The two secrets. They must appear nowhere: in output, logs, history or any file. */
const KEY = 'canary-key+/5f3a"\\x';
const TOKEN = 'canary.token.91c7';

const specs = (await Promise.all(NOUNS.map(commandsOf))).flat();

const BEHAVIOURS: Readonly<Record<string, Responder>> = {
  success: (socket, { line }) => {
    const isList = /^GET .*\/(?:items)?(?:\?\S*)? /.test(line);
    socket.write(http(200, isList ? '[]' : '{"id":"x-1","requisitionId":"x-1"}'));
  },
  'success that repeats the key in every spelling': (socket, { line, head }) => {
    const { json, other } = spellingsOf(spoken(head));
    const said = `"name":"${json} ${other}","${json}":["${json}"]`;
    const isList = /^GET .*\/(?:items)?(?:\?\S*)? /.test(line);
    const record = `{"id":"x-1","requestId":"x","requisitionId":"x-1",${said}}`;
    socket.write(http(isList ? 200 : 201, isList ? `[${record}]` : record, { etag: other }));
  },
  '401 that repeats the key': (socket, { head }) => {
    socket.write(http(401, JSON.stringify({ message: `bad key in ${head}`, errors: [head] })));
  },
  '400 that repeats the key in every spelling': (socket, { head }) => {
    const { json, other } = spellingsOf(spoken(head));
    const text = `${json} ${other}`;
    socket.write(
      http(400, `{"message":"${text}","errors":[{"field":"${json}","message":"${text}"}]}`),
    );
  },
  '500 that repeats the key': (socket, { head }) => {
    const page = `<h1>${spellingsOf(spoken(head)).other}</h1>${head}`;
    socket.write(http(500, page, { 'x-request-id': spoken(head) }));
  },
  'a redirect that repeats the key': (socket, { head }) => {
    const { other } = spellingsOf(spoken(head));
    socket.write(http(302, '', { location: `/?key=${spoken(head)}&${other}` }));
  },
  'an undecodable response that repeats the key': (socket, { head }) => {
    socket.write(http(200, head));
  },
  'a broken connection': (socket) => socket.resetAndDestroy(),
};

function spoken(head: string): string {
  return /^(?:x-api-key|authorization): (.*)$/im.exec(head)?.[1] ?? '';
}

const CREDENTIALS = ['PROC_API_KEY', 'PROC_TOKEN', 'a profile'] as const;

let service: HostileService;
let respond: Responder = () => undefined;

beforeAll(async () => {
  service = await startHostile((socket, request, nth) => respond(socket, request, nth));
});
afterAll(() => service.close());

async function worldWith(
  credential: (typeof CREDENTIALS)[number],
): Promise<World & AsyncDisposable> {
  const isStored = credential === 'a profile';
  const env: Record<string, string> = isStored
    ? {}
    : { [credential]: credential === 'PROC_TOKEN' ? TOKEN : KEY, PROC_BASE_URL: service.baseUrl };
  const world = await openWorld({ PROC_DEBUG: '1', ...env });
  const add = ['profile', 'add', 'acme', '-e', 'live', '--base-url', service.baseUrl];
  if (credential === 'a profile') {
    const added = await runHere([...add, '--api-key-stdin'], world.env, { stdin: `${KEY}\n` });
    expectClean(added, 'profile add');
    expectClean(await runHere(['profile', 'use', 'acme'], world.env), 'profile use');
  }
  return world;
}

function expectClean({ stdout, stderr }: Pick<Ran, 'stdout' | 'stderr'>, what: string): void {
  for (const [name, text] of Object.entries({ stdout, stderr })) {
    const found = secretsIn(text);
    if (found.length > 0) throw new Error(`${what}: ${found} on ${name}:\n${text}`);
  }
}

const BASE64 = [KEY, TOKEN].flatMap((secret) => spellingsOf(secret).base64);

const HEX = [KEY, TOKEN].map((secret) => Buffer.from(secret).toString('hex'));

/** Finds the secrets in a text, plain or encoded. */
function secretsIn(text: string): string[] {
  const decoded = decodings(text);
  return [
    ...['canary-key', 'canary.token'].filter((secret) =>
      decoded.some((one) => one.toLowerCase().includes(secret)),
    ),
    ...HEX.filter((form) => text.toLowerCase().includes(form)),
    ...BASE64.filter((form) => text.includes(form)),
  ];
}

/** Checks that no file contains a secret. The configuration may if `mayBeStored`. */
async function expectCleanFiles(world: World, mayBeStored: boolean): Promise<void> {
  for (const folder of [world.configDir, world.stateDir, world.cwd, join(world.folder, 'bin')]) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries.filter((one) => one.isFile())) {
      const path = join(entry.parentPath, entry.name);
      if (mayBeStored && entry.name === 'config.json') continue;
      const text = await readFile(path, 'latin1');
      expect(secretsIn(text), path).toEqual([]);
    }
  }
}

/** Commands that would run forever, or end what other tests use. */
const LONG = ['sandbox start', 'sandbox exec'];

const WORDS: Readonly<Record<string, readonly string[]>> = {
  api: ['GET', '/orders/', '--include'],
  'profile add': ['other', '-e', 'x', '--base-url', 'https://x.invalid/api/v1'],
  'profile set': ['acme', '-e', 'live', 'protected=false'],
  'profile remove': ['nobody'],
  'auth logout': ['-p', 'nobody'],
};

function lineOf(spec: CommandSpec, importFile: string): readonly string[] {
  const name = spec.path.join(' ');
  const words =
    name === 'items import'
      ? [importFile]
      : (WORDS[name] ?? Object.keys(spec.args ?? {}).map((arg) => `${arg}-1`));
  const flags = Object.entries(spec.flags ?? {});
  const has = (flag: string) => flags.some(([key]) => key === flag);
  const own = [
    ...(has('file') ? ['--file', '-'] : []),
    ...(spec.path[0] === 'imports' || spec.path[1] === 'import' ? ['PROC_SETTLE=50ms'] : []),
  ];
  return [...spec.path, ...words, ...own, '--yes', '--no-input'];
}

/** Whether the shared flag is one of this command; any other would be refused before a request. */
const takes = (spec: CommandSpec, flag: string): boolean =>
  Object.keys(sharedFlags(spec)).some((key) => `--${kebab(key)}` === flag);

function payloadOf(spec: CommandSpec): string {
  const path = spec.path.join(' ');
  if (path === 'requisition create') {
    return '{"title":"T","groups":[{"deliveryMethod":"pickup","items":[{"quantity":1,"itemId":"i"}]}]}';
  }
  if (path.startsWith('requisition item')) return '{"quantity":1,"itemId":"i"}';
  if (path.startsWith('addresses')) return '{"city":"X"}';
  if (path.startsWith('imputations')) return '{"amount":1}';
  return '{"name":"X"}';
}

describe.each(CREDENTIALS)('with the credential in %s', (credential) => {
  const cases: ReadonlyArray<readonly [string, readonly string[]]> = [
    ...Object.keys(BEHAVIOURS).map((name) => [name, ['-v', '--again']] as const),
    ['success', ['--dry-run']],
  ];
  const few = atNight
    ? Object.keys(BEHAVIOURS)
    : ['success', '400 that repeats the key in every spelling'];
  const tried = cases.filter(
    ([name, flags]) => few.includes(name) && (atNight || flags[0] !== '--dry-run'),
  );

  it.each(tried)('%s %j', async (name, flags) => {
    await using world = await worldWith(credential);
    respond = BEHAVIOURS[name]!;
    const before = service.requests.length;
    const limits = ['--retries', '0', '--timeout', '2'];
    const importFile = await world.file('items.json', '[{"name":"X","code":"X-1"}]');
    for (const spec of specs.filter(({ path }) => !LONG.includes(path.join(' ')))) {
      const taken = flags.filter((flag) => flag === '-v' || takes(spec, flag));
      const args = [...lineOf(spec, importFile), ...taken, ...limits];
      for (const output of name === 'success' ? [[]] : [[], ['-o', 'table']]) {
        const ran = await runHere([...args, ...output], world.env, { stdin: payloadOf(spec) });
        expectClean(ran, args.join(' '));
      }
    }
    const kept = await runHere(['history', 'list', '-o', 'id'], world.env);
    for (const id of kept.stdout.split('\n').filter((line) => line !== '')) {
      expectClean(await runHere(['history', 'show', id], world.env), `history show ${id}`);
    }
    await expectCleanFiles(world, credential === 'a profile');
    const isPreview = flags.includes('--dry-run');
    const requests = service.requests.slice(before);
    if (!isPreview) expect(requests.length).toBeGreaterThan(20);
    if (!isPreview) expect(requests.every(({ head }) => head.includes('canary'))).toBe(true);
  });
});
