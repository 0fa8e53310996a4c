import { chmod, mkdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { errorOf, jsonLines, openWorld, type Ran } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

const sandbox = await loggedSandbox();
const world = await openWorld(sandbox.target);
await chmod(world.folder, 0o755);

const ITEM = '{"name":"Chain","code":"CH-1"}';
const COMMANDS = [
  ['requisition create', ['requisition', 'create']],
  ['items create', ['items', 'create']],
  ['sectors patch', ['sectors', 'patch', 'sec-1']],
] as const;

function expectRefused(ran: Ran, ...says: readonly RegExp[]): void {
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  const { message } = errorOf(ran);
  for (const words of says) expect(message).toMatch(words);
  expect(ran.stderr).not.toMatch(/\\n +at /);
  expect(sandbox.writes()).toEqual([]);
}

describe('files that are not a JSON object', () => {
  const FILES: ReadonlyArray<readonly [string, string | Uint8Array, RegExp]> = [
    ['text', 'name: Chain', /line 1, column 1: expected a value/],
    ['a trailing comma', '{\n  "name": "Chain",\n}', /line 3, column 1: trailing comma/],
    ['an object that is not closed', '{"name":"Chain"', /expected "," or "}"/],
    ['a duplicate field', '{"name":"a",\n "name":"b"}', /line 2, column 2: duplicate field "name"/],
    ['a number that JSON rounds', '{"amount":12345678901234567890}', /would be rounded/],
    ['too many levels', `${'['.repeat(200)}`, /nested deeper than 64/],
    ['nothing', '', /is empty/],
    ['a byte order mark alone', '\uFEFF', /is empty/],
    ['a list', `[${ITEM}]`, /expected a JSON object, got an array of 1/],
    ['UTF-16 without a mark', Buffer.from(ITEM, 'utf16le'), /not UTF-8 text/],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d', 'hex'), /not UTF-8/],
  ];

  it.each(FILES)('%s', async (_, content, says) => {
    const file = await world.file('bad.json', content);
    for (const [, args] of COMMANDS) {
      expectRefused(await world.run([...args, '--file', file]), says, /bad\.json/);
    }
  });

  it('the same content from standard input', async () => {
    for (const [, args] of COMMANDS) {
      const ran = await world.run([...args, '--file', '-'], { input: '{"name":}' });
      expectRefused(ran, /^standard input, line 1, column 9: expected a value, found "}"/);
    }
  });
});

describe('unreadable files', () => {
  it('a missing file', async () => {
    for (const [, args] of COMMANDS) {
      expectRefused(
        await world.run([...args, '--file', 'gone.json']),
        /gone\.json.*does not exist/,
      );
    }
  });

  it('a directory', async () => {
    await mkdir(`${world.cwd}/folder`, { recursive: true });
    for (const [, args] of COMMANDS) {
      expectRefused(await world.run([...args, '--file', 'folder']), /folder is a directory/);
    }
  });

  it('a file without read permission', async () => {
    const file = await world.file('secret.json', ITEM);
    await chmod(file, 0o000);
    // Root may read any file, so the command runs as another user with its own folders.
    const uid = process.getuid?.() === 0 ? 65_534 : undefined;
    await using own = await openWorld(sandbox.target);
    for (const folder of [own.folder, own.cwd]) await chmod(folder, 0o777);
    for (const [, args] of COMMANDS) {
      const ran = await own.spawn([...args, '--file', file], uid === undefined ? {} : { uid });
      expectRefused(ran, /no permission to read .*secret\.json/);
    }
  });

  it('a gigabyte of [ is refused early', async () => {
    const block = Buffer.alloc(1 << 20, '[');
    for (const [, args] of COMMANDS) {
      let given = 0;
      const gigabyte = Readable.from(
        (function* () {
          for (; given < 1024; given++) yield block;
        })(),
      );
      expectRefused(await world.run([...args, '--file', '-'], { input: gigabyte }), /16 MiB/);
      expect(given).toBeLessThan(64);
    }
    const file = await world.file('brackets.json', block);
    expectRefused(await world.run(['items', 'create', '--file', file]), /deeper than 64/);
  });
});

describe('accepted encodings', () => {
  const READ: ReadonlyArray<readonly [string, Uint8Array]> = [
    ['UTF-8 with a mark', Buffer.from(`\uFEFF{"name":"Año €"}`)],
    ['UTF-16LE with a mark', Buffer.from(`\uFEFF{"name":"Año €"}`, 'utf16le')],
    ['UTF-16BE with a mark', Buffer.from(`\uFEFF{"name":"Año €"}`, 'utf16le').swap16()],
    ['CRLF', Buffer.from('{\r\n"name":\r\n"Año €"}\r\n')],
  ];
  it.each(READ)('%s', async (_, content) => {
    const file = await world.file('good.json', content);
    const ran = await world.run(['items', 'create', '--file', file, '--dry-run']);
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout).body).toEqual({ name: 'Año €' });
    expect(jsonLines(ran.stderr)).toEqual([]);
  });
});
