import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { drain, isClosed, writeNow, writeOut } from '../../../src/terminal/write.ts';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../../src/terminal/write.ts')).href;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proc-write-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A program that writes to real pipes. It imports the TypeScript source. */
async function program(body: string) {
  const file = join(folder, 'program.mjs');
  await writeFile(
    file,
    `import { drain, isClosed, writeOut } from ${JSON.stringify(MODULE)};\n${body}`,
  );
  return spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'] });
}

const failing = (code: string) =>
  new Writable({
    write(_chunk, _encoding, done) {
      done(Object.assign(new Error(`write ${code}`), { code }));
    },
  });

describe('a real pipe', () => {
  it('receives all 20 MB, although its reader is slow and the process exits at once', async () => {
    const child = await program(
      "await writeOut(process.stdout, 'x'.repeat(20 * 1024 * 1024)); await drain(process.stdout); process.exit(0);",
    );
    let received = 0;
    for await (const chunk of child.stdout) {
      received += (chunk as Buffer).length;
      await new Promise(setImmediate);
    }
    expect(received).toBe(20 * 1024 * 1024);
  }, 60_000);
});

describe('a stream that fails', () => {
  it('with EPIPE ends the writing without an error', async () => {
    const stream = failing('EPIPE');
    await writeOut(stream, 'a');
    await drain(stream);
    await writeOut(stream, 'b');
    expect(isClosed(stream)).toBe(true);
  });

  it('for any other reason reports it', async () => {
    const stream = failing('ENOSPC');
    await expect(
      (async () => {
        await writeOut(stream, 'a');
        await drain(stream);
      })(),
    ).rejects.toMatchObject({ code: 'unwritable_output', exitCode: 2 });
  });

  it('never throws for a message', () => {
    const stream = failing('EIO');
    expect(() => {
      writeNow(stream, 'a');
      writeNow(stream, 'b');
    }).not.toThrow();
  });
});
