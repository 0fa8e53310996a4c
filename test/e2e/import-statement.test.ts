import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { SANDBOX_KEYS } from '../../src/sandbox/server/sandbox-keys.ts';
import { startSandbox } from '../../src/sandbox/server/server.ts';
import { accountName } from '../support/account.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

const CATALOG = 'code,name\nST-1,Bolt\nST-2,"Nut ""M8"""\nST-3,Washer\n';

async function done(world: World, args: readonly string[], exitCode = 0) {
  const ran = await world.run(args);
  expect(ran, ran.stderr).toMatchObject({ exitCode });
  return ran.stdout === '' ? {} : JSON.parse(ran.stdout);
}

async function refused(world: World, args: readonly string[], exitCode = 2) {
  const ran = await world.run(args);
  expect(ran, ran.stderr).toMatchObject({ exitCode, stdout: '' });
  return errorOf(ran);
}

/** Stages a file and writes its statement. */
async function staged(world: World, file = CATALOG, noun = 'items', ...more: readonly string[]) {
  await world.file('catalog.csv', file);
  const ran = await world.run([noun, 'import', 'catalog.csv', '--stage', '-o', 'json', ...more]);
  const { run, digest } = JSON.parse(ran.stdout) as { run: string; digest: string };
  await done(world, ['imports', 'show', run, '--statement', 'catalog.statement']);
  const text = await readFile(join(world.cwd, 'catalog.statement'), 'utf8');
  return { run, digest, text };
}

/** The digest as docs/review.md says it is computed. */
function digestOf(text: string): string {
  const sum = (part: string) => createHash('sha256').update(part).digest('hex');
  const [, ...lines] = text.split('\n').slice(0, -1);
  return `sha256:${sum(lines.map((line) => `${sum(line)}\n`).join(''))}`;
}

/** The text with a title that has the digest of its lines. */
function sealedAgain(text: string): string {
  const [, ...lines] = text.split('\n');
  const title = `{"statement":"proc-import-1","digest":"${digestOf(text)}"}`;
  return [title, ...lines].join('\n');
}

/** Another machine: it has the statement and a key, and nothing else. */
async function elsewhere({ target }: LoggedSandbox, text: string): Promise<World> {
  const world = await freshWorld(target);
  await world.file('catalog.statement', text);
  return world;
}

const SEND = ['imports', 'send', 'catalog.statement', '--yes', '--digest'];

describe('imports show RUN --statement', () => {
  it('writes the plan as one text: a header, then a line per row', async () => {
    await using sandbox = await loggedSandbox();
    const world = await freshWorld(sandbox.target);
    const { run, digest, text } = await staged(world, `${CATALOG}ST-4,\n`);
    const lines = text.trimEnd().split('\n');
    expect(lines[0]).toBe(`{"statement":"proc-import-1","digest":"${digest}"}`);
    expect(digest).toBe(digestOf(text));
    expect(lines.slice(-4)).toEqual([
      '{"row":1,"line":2,"state":"pending","payload":{"name":"Bolt","code":"ST-1"}}',
      '{"row":2,"line":3,"state":"pending","payload":{"name":"Nut \\"M8\\"","code":"ST-2"}}',
      '{"row":3,"line":4,"state":"pending","payload":{"name":"Washer","code":"ST-3"}}',
      expect.stringMatching(
        /^\{"row":4,"line":5,"state":"rejected","code":"ST-4","reason":"row 4, line 5, column \\"name\\": /,
      ),
    ]);
    const header = Object.assign({}, ...lines.slice(1, -4).map((line) => JSON.parse(line)));
    expect(header).toMatchObject({
      ...{ run, noun: 'items', service: sandbox.baseUrl, organization: 'sandbox' },
      ...{ profile: 'sandbox', environment: 'local' },
      importer: { user: accountName(), host: hostname() },
      counts: { pending: 3, rejected: 1 },
      source: {
        name: 'catalog.csv',
        hash: createHash('sha256').update(`${CATALOG}ST-4,\n`).digest('hex'),
      },
    });
  });

  it('is refused for a run that was not staged, and for a name that send would not know', async () => {
    await using sandbox = await loggedSandbox();
    const world = await freshWorld(sandbox.target);
    await world.file('other.csv', 'code,name\nOT-1,Bolt\n');
    const other = await done(world, ['items', 'import', 'other.csv', '--yes']);
    const show = ['imports', 'show', other.run, '--statement', 'a.statement'];
    expect(await refused(world, show)).toMatchObject({
      message: `${other.run} was not staged, so it has no statement`,
      hint: 'Stage an import: proc items import FILE --stage',
    });
    const { run } = await staged(world);
    expect(await refused(world, ['imports', 'show', run, '--statement', 'a.txt'])).toMatchObject({
      message: '--statement a.txt: the name must end with .statement',
      hint: 'Use --statement a.statement',
    });
    expect(existsSync(join(world.cwd, 'a.statement'))).toBe(false);
  });

  it.each([
    ['items', CATALOG],
    ['imputations', 'reference,amount,contractId\nR-1,12.50,EUR\nR-2,7,EUR\n'],
    [
      'requisition',
      'Request,Part,Qty\nParts,Bolt,2\nParts,Nut,3\nTools,Saw,1\n',
      ...['--group-by', 'Request', '--map', 'title=Request', '--map', 'item.name=Part'],
      ...['--map', 'quantity=Qty', '--set', 'group.deliveryMethod=pickup'],
    ],
  ])(
    'what a reviewer sees of a run of %s is what the statement alone says',
    async (noun, file, ...more) => {
      await using sandbox = await loggedSandbox();
      const world = await freshWorld(sandbox.target);
      const { run, text } = await staged(world, file, noun, ...more);
      const other = await elsewhere(sandbox, text);
      const views = [
        ['show', '-o', 'json'],
        ['rows', '-o', 'json'],
        ['rows', '-o', 'csv', '--state', 'pending'],
        ['report', '-o', 'json'],
        ['report', '-o', 'table'],
        ['rows', '--out', 'rows.xlsx'],
        ['report', '--out', 'report.html'],
      ];
      for (const [verb, ...flags] of views) {
        const see = async (from: World, what: string) => {
          const ran = await from.run(['imports', verb!, what, ...flags]);
          expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
          const out = flags[0] === '--out' ? await readFile(join(from.cwd, flags[1]!)) : ran.stdout;
          return out
            .toString('latin1')
            .replace(/proc imports send [^\n<"]+/g, 'SEND')
            .replace(/on \d{4}-\d\d-\d\d \d\d:\d\d/g, 'NOW');
        };
        expect(await see(other, 'catalog.statement'), verb).toBe(await see(world, run));
      }
      const [first] = await done(other, ['imports', 'rows', 'catalog.statement', '--limit', '1']);
      const line = text.split('\n').find((one) => one.startsWith('{"row":1,'));
      expect(first).toMatchObject(JSON.parse(line!).payload);
      expect(await done(other, ['imports', 'list'])).toEqual([]);
    },
  );
});

describe('imports send FILE.statement', () => {
  it('sends on another machine exactly what was reviewed, once', async () => {
    await using sandbox = await loggedSandbox();
    const { run, digest, text } = await staged(await freshWorld(sandbox.target));
    const world = await elsewhere(sandbox, text);
    const dry = await done(world, [...SEND.slice(0, 3), '--digest', digest, '--dry-run']);
    expect(dry).toMatchObject({ dryRun: true, run, toSend: 3 });
    expect(await done(world, ['imports', 'list'])).toEqual([]);
    expect(await done(world, [...SEND, digest])).toMatchObject({ run, created: 3, verified: true });
    expect(await done(world, [...SEND, digest])).toMatchObject({ run, created: 3 });
    expect(sandbox.writes()).toHaveLength(3);
    const items = await done(world, ['items', 'list', '--all']);
    expect(items.map(({ name }: { name: string }) => name).sort()).toEqual([
      ...['Bolt', 'Nut "M8"', 'Washer'],
    ]);
  });

  it('is planned against the list again: rows that exist by now are not sent', async () => {
    await using sandbox = await loggedSandbox();
    const { digest, text } = await staged(await freshWorld(sandbox.target));
    const world = await elsewhere(sandbox, text);
    await done(world, ['items', 'create', '--name', 'Bolt', '--code', 'ST-1']);
    expect(await done(world, [...SEND, digest])).toMatchObject({ created: 2, existing: 1 });
    expect(sandbox.writes()).toHaveLength(3);
  });

  it('an order that means something else by now is plan_changed, with its row', async () => {
    await using sandbox = await loggedSandbox();
    const orders = await done(await freshWorld(sandbox.target), ['orders', 'list', '--limit', '2']);
    const file = `reference,amount,currency,order\nR-1,5,EUR,${orders[0].code}\n`;
    const { digest, text } = await staged(await freshWorld(sandbox.target), file, 'imputations');
    const world = await elsewhere(sandbox, text);
    const database = new DatabaseSync(sandbox.dbPath);
    database.prepare('UPDATE orders SET code = ? WHERE id = ?').run('MOVED', orders[0].id);
    database.close();
    const unknown = await world.run([...SEND, digest], { asTyped: true });
    expect(errorOf(unknown)).toMatchObject({ code: 'no_ledger', exitCode: 2 });
    const error = await refused(world, [...SEND, digest, '--first-run']);
    expect(error).toMatchObject({ code: 'plan_changed' });
    expect(error.message).toContain(orders[0].code);
    expect(sandbox.writes()).toEqual([]);
  });

  it('sends a requisition whose new item exists by now with the id of that item', async () => {
    await using sandbox = await loggedSandbox();
    const here = await freshWorld(sandbox.target);
    const { id } = await done(here, ['items', 'create', '--name', 'Bolt', '--code', 'ST-1']);
    const map = ['title=Request', 'item.code=Code', 'item.name=Part', 'quantity=Qty'];
    const { digest, text } = await staged(
      here,
      'Request,Code,Part,Qty\nParts,ST-1,Bolt,2\n',
      'requisition',
      ...['--group-by', 'Request', ...map.flatMap((one) => ['--map', one])],
      ...['--set', 'group.deliveryMethod=pickup', '--items-in-place', 'reference'],
    );
    // The fingerprint is that of the row as it was read, by which proc knows it again.
    expect(text).toMatch(/"state":"pending","fingerprint":"[^"]+","payload":\{/);
    expect(text).toContain(`"itemId":"${id}"`);
    const world = await elsewhere(sandbox, text);
    expect(await done(world, [...SEND, digest])).toMatchObject({ created: 1 });
  });

  it('needs the digest that was reviewed, and refuses another one, for a run too', async () => {
    await using sandbox = await loggedSandbox();
    const world = await freshWorld(sandbox.target);
    const { run, digest, text } = await staged(world);
    const other = `sha256:${'0'.repeat(64)}`;
    const there = await elsewhere(sandbox, text);
    expect(await refused(there, SEND.slice(0, 4))).toMatchObject({
      code: 'invalid_usage',
      message: '--digest is required to send catalog.statement',
    });
    for (const [from, what] of [
      [there, 'catalog.statement'],
      [world, run],
    ] as const) {
      for (const flag of ['--yes', '--dry-run']) {
        const send = ['imports', 'send', what, flag, '--digest'];
        expect(await refused(from, [...send, other])).toMatchObject({
          code: 'plan_changed',
          message: `the digest of ${what} is ${digest}, not ${other}; nothing was sent`,
        });
        expect(await refused(from, [...send, 'sha256:12'])).toMatchObject({
          code: 'invalid_usage',
          message: '--digest must be sha256: and 64 hexadecimal digits, got "sha256:12"',
        });
      }
    }
    expect(sandbox.writes()).toEqual([]);
    const upper = digest.toUpperCase().replace('SHA', 'sha');
    expect(await done(world, ['imports', 'send', run, '--yes', '--digest', upper])).toMatchObject({
      created: 3,
    });
    const again = ['imports', 'send', run, '--yes', '--digest'];
    expect((await refused(world, [...again, other])).code).toBe('plan_changed');
    expect(await done(world, [...again, digest])).toMatchObject({ created: 3 });
    expect(sandbox.writes()).toHaveLength(3);
  });

  it('continues a run of this machine that has the same digest, and refuses another with its name', async () => {
    await using sandbox = await loggedSandbox();
    const world = await freshWorld(sandbox.target);
    const { text } = await staged(world);
    const changed = sealedAgain(text.replace('"Bolt"', '"Bold"'));
    await world.file('catalog.statement', changed);
    expect(await refused(world, [...SEND, digestOf(changed)])).toMatchObject({
      code: 'plan_changed',
    });
    await world.file('catalog.statement', text);
    expect(await done(world, [...SEND, digestOf(text)])).toMatchObject({ created: 3 });
  });

  it('two commands at once send it once', async () => {
    await using sandbox = await loggedSandbox();
    const { digest, text } = await staged(await freshWorld(sandbox.target));
    const world = await elsewhere(sandbox, text);
    const send = [...SEND, digest, '--wait-lock', '1m'];
    const both = await Promise.all([world.spawn(send), world.spawn(send)]);
    for (const ran of both) {
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
      expect(JSON.parse(ran.stdout)).toMatchObject({ created: 3 });
    }
    expect(sandbox.writes()).toHaveLength(3);
  });
});

type Change = (text: string) => string;

const OTHER_LINES = /^catalog.statement, line 1: this digest is not that of the lines that follow/;
const OTHER_FORM = /^catalog.statement: proc writes this statement in another form/;

/** Changes of the lines after the first, and the reason that proc must give if the digest is right. */
const REWRITTEN: readonly (readonly [what: string, change: Change, why: RegExp])[] = [
  [
    'a doubled member',
    (text) => text.replace('"code":"ST-1"}', '"code":"ST-9","code":"ST-1"}'),
    OTHER_FORM,
  ],
  [
    'a doubled member of the header',
    (text) => text.replace('{"noun":"items"}', '{"noun":"orders","noun":"items"}'),
    OTHER_FORM,
  ],
  [
    'a header line twice',
    (text) => text.replace('{"noun":"items"}', '{"noun":"orders"}\n{"noun":"items"}'),
    OTHER_FORM,
  ],
  [
    'another order of header lines',
    (text) => text.replace(/(\{"run":.*\n)(\{"noun":.*\n)/, '$2$1'),
    OTHER_FORM,
  ],
  [
    'another order of rows',
    (text) => text.replace(/(\{"row":1,.*\n)(\{"row":2,.*\n)/, '$2$1'),
    /line \d+: row 1 follows row 2/,
  ],
  [
    'a row twice',
    (text) => text.replace(/(\{"row":1,.*\n)/, '$1$1'),
    /line \d+: row 1 follows row 1/,
  ],
  ['a row removed', (text) => text.replace(/\{"row":2,.*\n/, ''), OTHER_FORM],
  [
    'another order of members',
    (text) => text.replace('{"row":1,"line":2,', '{"line":2,"row":1,'),
    OTHER_FORM,
  ],
  ['a number in another form', (text) => text.replace('"row":1', '"row":1.0'), OTHER_FORM],
  ['spaces', (text) => text.replace('{"row":1,', '{ "row":1,'), OTHER_FORM],
  [
    'half a character in a code',
    (text) => text.replace('"code":"ST-1"', '"code":"\\ud800"'),
    OTHER_FORM,
  ],
  [
    'an escape that proc would not write',
    (text) => text.replace('"name":"Bolt"', '"name":"\\ufffd"'),
    OTHER_FORM,
  ],
  ['an unknown member', (text) => text.replace('{"row":1,', '{"row":1,"note":"x",'), OTHER_FORM],
  [
    'a code beside the payload',
    (text) =>
      text.replace(
        '"state":"pending","payload":{"name":"Bolt"',
        '"state":"pending","code":"ST-1","payload":{"name":"Bolt"',
      ),
    OTHER_FORM,
  ],
  [
    'a header line among the rows',
    (text) => text.replace('{"row":2,', '{"noun":"items"}\n{"row":2,'),
    /line \d+: the number of the row is missing/,
  ],
  [
    'a state that proc does not know',
    (text) => text.replace('"state":"pending"', '"state":"ready"'),
    /the state of row 1 is unknown/,
  ],
];

/** What was done to a statement, and the reason that proc must give. */
const TAMPERED: readonly (readonly [what: string, change: Change, why: RegExp])[] = [
  ['a changed byte', (text) => text.replace('"Bolt"', '"Bold"'), OTHER_LINES],
  [
    'a changed byte in the digest',
    (text) => text.replace(/sha256:./, 'sha256:g'),
    /line 1: this is not a statement/,
  ],
  [
    'CR LF',
    (text) => text.replaceAll('\n', '\r\n'),
    /line 1: the lines end with CR LF, not with LF/,
  ],
  ['a byte order mark', (text) => `\uFEFF${text}`, /line 1: this is not a statement/],
  [
    'the last line cut off',
    (text) => text.slice(0, -20),
    /the file ends in the middle of this line/,
  ],
  [
    'only a header',
    (text) => text.slice(0, text.indexOf('{"row":1,')),
    /the statement ends before its first row/,
  ],
  ['nothing', () => '', /the file is empty/],
];

/** The digest is right, and so given to the command: somebody made another statement. */
const FORGED: readonly (readonly [what: string, change: Change, why: RegExp])[] = [
  [
    'another service',
    (text) => text.replace(/"service":"[^"]*"/, '"service":"https://other.example/api/v1"'),
    /imports into https:\/\/other\.example\/api\/v1, not into http:\/\/127/,
  ],
  [
    'another organization',
    (text) => text.replace('"organization":"sandbox"', '"organization":"contoso"'),
    /imports into the organization contoso, but the key belongs to sandbox/,
  ],
  [
    'an organization that is no text',
    (text) => text.replace('"organization":"sandbox"', '"organization":null'),
    /organization is missing or has the wrong type/,
  ],
  [
    'another environment',
    (text) => text.replace('"environment":"local"', '"environment":"production"'),
    /imports into sandbox\/production .*, not into sandbox\/local/,
  ],
  [
    'another profile',
    (text) => text.replace('"profile":"sandbox"', '"profile":"acme"'),
    /imports into acme\/local .*, not into sandbox\/local/,
  ],
  [
    'another noun',
    (text) => text.replace('"noun":"items"', '"noun":"orders"'),
    /this version of proc does not import "orders"/,
  ],
  [
    'a row without payload',
    (text) => text.replace(',"payload":{"name":"Bolt","code":"ST-1"}', ''),
    /row 1 has no payload/,
  ],
  [
    'a payload that is a list',
    (text) => text.replace('{"name":"Bolt","code":"ST-1"}', '[1]'),
    /the payload of row 1 is not an object/,
  ],
  [
    'a reference that the noun has not',
    (text) =>
      text.replace(
        '{"row":1,',
        '{"reference":"order","typed":"a","value":"b","copied":"{}","row":1,"uses":1}\n{"row":1,',
      ),
    /this is not a reference of items/,
  ],
];

describe('a statement that is not as proc wrote it is refused with its reason, and nothing is sent', () => {
  const refuse = async (text: string, digest: string, why: RegExp, sandbox: LoggedSandbox) => {
    const world = await elsewhere(sandbox, text);
    for (const verb of ['show', 'rows', 'report']) {
      if (/imports into/.test(why.source)) continue;
      const error = await refused(world, ['imports', verb, 'catalog.statement']);
      expect(error.message).toMatch(why);
    }
    const error = await refused(world, [...SEND, digest]);
    expect(error.message).toMatch(why);
    expect(sandbox.writes()).toEqual([]);
    expect(await done(world, ['imports', 'list'])).toEqual([]);
  };

  it('whatever was changed', async () => {
    await using sandbox = await loggedSandbox();
    const { text, digest } = await staged(await freshWorld(sandbox.target));
    const before = REWRITTEN.map(([what, change, why]) => {
      return [what, change, why === OTHER_FORM ? OTHER_LINES : why] as const;
    });
    for (const [what, change, why] of [...TAMPERED, ...before]) {
      const changed = change(text);
      expect(changed, what).not.toBe(text);
      await refuse(changed, digest, why, sandbox);
    }
    for (const [what, change, why] of [...FORGED, ...REWRITTEN]) {
      const changed = sealedAgain(change(text));
      expect(changed, what).not.toBe(text);
      await refuse(changed, digestOf(changed), why, sandbox);
    }
  });

  it('wherever one byte differs', async () => {
    await using sandbox = await loggedSandbox();
    const { text, digest } = await staged(
      await freshWorld(sandbox.target),
      'code,name\nST-1,Bolt\n',
    );
    const world = await elsewhere(sandbox, text);
    for (let at = 0; at < text.length; at += 17) {
      const byte = text[at] === 'x' ? 'y' : 'x';
      await world.file('catalog.statement', `${text.slice(0, at)}${byte}${text.slice(at + 1)}`);
      await refused(world, [...SEND, digest]);
    }
    expect(sandbox.writes()).toEqual([]);
    await world.file('catalog.statement', text);
    expect(await done(world, [...SEND, digest])).toMatchObject({ created: 1 });
  });
});

describe('a run that is changed on disk', () => {
  const changes: readonly (readonly [what: string, sql: string])[] = [
    ['a payload', `UPDATE records SET body = '{"name":"Bold","code":"ST-1"}' WHERE row = 1`],
    [
      'a payload with its code',
      `UPDATE records SET body = '{"name":"Bolt","code":"ST-9"}' WHERE row = 1; UPDATE rows SET code = 'ST-9' WHERE row = 1`,
    ],
    ['a code by which proc looks for the record', `UPDATE rows SET code = 'ST-9' WHERE row = 1`],
    [
      'a rejected row that would be sent',
      `UPDATE rows SET state = 'pending', reason = NULL WHERE row = 4; UPDATE records SET body = '{"code":"ST-4"}' WHERE row = 4`,
    ],
    ['a row removed', 'DELETE FROM rows WHERE row = 2; DELETE FROM records WHERE row = 2'],
    [
      'a row added',
      `INSERT INTO rows (row, state, code) VALUES (9, 'pending', 'X'); INSERT INTO records (row, body) VALUES (9, '{"code":"X","name":"X"}')`,
    ],
    [
      'the saved plan',
      `UPDATE run SET value = json_replace(value, '$.version', '0') WHERE key = 'sealed'`,
    ],
    ['no plan', `DELETE FROM run WHERE key = 'sealed'`],
  ];

  const flags = `UPDATE runs SET header = json_replace(header, '$.choices.onExisting', 'fail')`;

  it.each([
    ...changes.map(([what, sql]) => [what, sql, 'run']),
    ['the flags in the ledger', flags, 'ledger'],
  ])('before it is sent is not sent: %s', async (_, sql, where) => {
    await using sandbox = await loggedSandbox();
    const world = await freshWorld(sandbox.target);
    const { run } = await staged(world, `${CATALOG}ST-4,\n`);
    const file = where === 'run' ? `imports/${run}.db` : 'ledger.db';
    const database = new DatabaseSync(join(world.stateDir, file));
    database.exec(sql!);
    database.close();
    for (const args of [
      ['send', run, '--yes'],
      ['send', run, '--dry-run'],
      ['show', run],
      ['rows', run],
      ['report', run],
      ['show', run, '--statement', 'b.statement'],
    ]) {
      const error = await refused(world, ['imports', ...args]);
      expect(error).toMatchObject({ code: 'plan_changed' });
      expect(error.message).toMatch(/was changed|were changed/);
      expect(error.hint).toContain(`proc imports discard ${run}`);
    }
    expect(sandbox.writes()).toEqual([]);
  });

  it('while it is sent sends none of the changed rows, and says which they are', async () => {
    const ROWS = 2_000;
    let change: (() => void) | undefined;
    const sandbox = await startSandbox({
      onRequest: ({ method }) => {
        if (method !== 'POST') return;
        change?.();
        change = undefined;
      },
    });
    await using _closed = { [Symbol.asyncDispose]: () => sandbox.close() };
    const { apiKey: PROC_API_KEY } = SANDBOX_KEYS[0];
    const world = await freshWorld({ PROC_BASE_URL: sandbox.baseUrl, PROC_API_KEY });
    const rows = Array.from({ length: ROWS }, (_, at) => `W-${at + 1},Washer ${at + 1}\n`);
    const { run, digest } = await staged(world, `code,name\n${rows.join('')}`);
    const change1000 = `UPDATE records SET body = replace(body, 'Washer', 'Forged') WHERE row > 1000`;
    change = () => {
      const database = new DatabaseSync(join(world.stateDir, 'imports', `${run}.db`));
      database.exec(change1000);
      database.close();
    };
    const ran = await world.run(['imports', 'send', run, '--yes', '--digest', digest]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 10 });
    const error = errorOf(ran);
    expect(error.message).toMatch(/a row from 769 to 1024 of \S+ was changed after sending began/);
    const list = await done(world, ['items', 'list', '--all']);
    const names = list.map(({ name }: { name: string }) => name);
    expect(names.filter((name: string) => name.startsWith('Forged'))).toEqual([]);
    expect(names.length).toBeLessThanOrEqual(768);
    const again = await refused(world, ['imports', 'resume', run, '--yes']);
    expect(again).toMatchObject({ code: 'plan_changed' });
    expect(await done(world, ['imports', 'show', run])).toMatchObject({
      created: names.length,
      pending: ROWS - names.length,
    });
  });
});
