import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { list, ORDERS, rendered } from './rendering.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'proc-out-'));
});
afterEach(() => rm(cwd, { recursive: true }));

describe('--out', () => {
  it.each([
    ['orders.json', '[\n'],
    ['orders.ndjson', '{"id":"ord_1"'],
    ['orders.JSONL', '{"id":"ord_1"'],
    ['orders.csv', 'code,status'],
    ['orders.txt', 'CODE      STATUS'],
  ])('%s is written in the format of its extension', async (out, start) => {
    const { stdout, stderr } = await rendered(list(ORDERS), { out }, { cwd, terminal: true });
    expect(stdout).toBe('');
    expect(stderr).toBe(`Wrote 3 rows to ${out}\n`);
    expect((await readFile(join(cwd, out), 'utf8')).startsWith(start)).toBe(true);
    expect(await readdir(cwd)).toEqual([out]);
  });

  it('follows -o where the extension allows any text, or none', async () => {
    for (const out of ['orders.txt', 'orders']) {
      await rendered(list(ORDERS), { out, output: 'id' }, { cwd });
      expect(await readFile(join(cwd, out), 'utf8')).toBe('ord_1\nord_2\nord_3\n');
    }
  });

  it('is not truncated to the terminal and has no colour', async () => {
    const title = 'x'.repeat(200);
    await rendered(list([{ title }]), { out: 'a.txt', color: 'always' }, { cwd, terminal: true });
    const text = await readFile(join(cwd, 'a.txt'), 'utf8');
    expect(text).toContain(title);
    expect(text).not.toContain('\u001b');
  });

  it('replaces a file, but keeps its mode and a link to it', async () => {
    await writeFile(join(cwd, 'real.json'), 'before');
    await chmod(join(cwd, 'real.json'), 0o600);
    await symlink('real.json', join(cwd, 'link.json'));
    await rendered(list([]), { out: 'link.json' }, { cwd });
    expect(await readFile(join(cwd, 'real.json'), 'utf8')).toBe('[]\n');
    expect((await stat(join(cwd, 'real.json'))).mode & 0o777).toBe(0o600);
    expect((await readdir(cwd)).sort()).toEqual(['link.json', 'real.json']);
  });

  it('refuses a folder, a missing folder, a device and an unknown extension before anything is sent', async () => {
    await mkdir(join(cwd, 'dir.json'));
    await writeFile(join(cwd, 'file'), '');
    const failing = (out: string, output?: 'json') =>
      rendered(list(ORDERS), { out, output }, { cwd });
    await expect(failing('dir.json')).rejects.toMatchObject({
      code: 'unwritable_output',
      message: expect.stringMatching(/dir\.json is a folder$/),
    });
    await expect(failing('no/such/a.json')).rejects.toThrow('the folder does not exist');
    await expect(failing('file/a.json')).rejects.toMatchObject({
      code: 'unwritable_output',
      exitCode: 2,
    });
    await expect(failing('/dev/null', 'json')).rejects.toThrow('not a regular file');
    await expect(failing('orders.ods')).rejects.toMatchObject({
      code: 'invalid_usage',
      exitCode: 2,
    });
    await expect(failing('orders')).rejects.toThrow('the file extension is not a known format');
  });
});

it('counts the rows that are written, also if proc sorts them first', async () => {
  const flags = { out: 'a.csv', sort: 'amount', limit: 1 };
  const { stderr } = await rendered(list(ORDERS, { noun: 'orders' }), flags, { cwd });
  expect(stderr).toContain('Wrote 1 order to a.csv');
});
