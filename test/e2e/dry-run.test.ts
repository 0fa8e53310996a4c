import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedFlags } from '../../src/core/global-flags.ts';
import { commandsOf, NOUNS } from '../../src/registry.ts';
import { assumeFirstRuns, runHere } from '../support/in-process.ts';
import { type Prepared, prepare, typed, withCopy } from '../support/prepared.ts';
import type { World } from '../support/run.ts';
import { snapshot } from '../support/snapshot.ts';
import { wordsOf } from '../support/typed-line.ts';

assumeFirstRuns();

const SPECS = (await Promise.all(NOUNS.map(commandsOf)))
  .flat()
  .filter((spec) => 'dryRun' in sharedFlags(spec) || 'dryRun' in (spec.flags ?? {}));

/** It only asks questions. Without a terminal it fails, even with --dry-run. */
const ASKING = new Set(['requisition wizard']);

/** In forms that no example shows. */
const MORE: ReadonlyArray<readonly [string, string]> = [
  ['imports prune', 'proc imports prune --before 2099-01-01 --yes'],
  ['items import', 'proc items import - --yes'],
  ['requisition import', 'proc requisition import examples/requisitions.ndjson'],
];

const CASES = [
  ...SPECS.flatMap(({ path, examples }) =>
    examples.map(({ run }) => [path.join(' '), run] as const),
  ),
  ...MORE,
];

let prepared: Prepared;
let world: World;
let before: Record<string, string>;
let release: () => void;
let copied: Promise<void>;
const usual = process.env.TMPDIR;

beforeAll(async () => {
  prepared = await prepare();
  await new Promise<void>((ready, fail) => {
    copied = withCopy(prepared, {}, async (copy) => {
      world = copy;
      await cp(prepared.database, join(world.cwd, 'other.db'));
      // A dry run may use temporary files, but must not leave any.
      const temporary = await mkdtemp(join(world.folder, 'tmp-'));
      process.env.TMPDIR = temporary;
      before = snapshot(world.folder);
      const until = new Promise<void>((done) => {
        release = done;
      });
      ready();
      await until;
    });
    copied.catch(fail);
  });
});
afterAll(async () => {
  if (usual === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = usual;
  release();
  await copied;
  await prepared.world[Symbol.asyncDispose]();
});

describe('--dry-run changes nothing', () => {
  it.each(CASES)('%s: %s', async (path, run) => {
    const args = [...wordsOf(typed(run, prepared), world), '--dry-run'];
    const stdin = path === 'items import' ? '[{"name":"Piped","code":"P-1"}]\n' : 'sec-1\n';
    // A dry run writes the file of `--out`, because this file is the result. The test restores it before the
    // comparison.
    const out = args.includes('--out') ? join(world.cwd, args[args.indexOf('--out') + 1]!) : '';
    const earlier = existsSync(out) ? await readFile(out) : undefined;
    const ran = await runHere(args, world.env, { stdin, cwd: world.cwd });
    expect(ran, ran.stderr).toMatchObject({ exitCode: ASKING.has(path) ? 2 : 0 });
    if (earlier !== undefined) await writeFile(out, earlier);
    else if (out !== '') await rm(out);
    expect(snapshot(world.folder)).toEqual(before);
    if (path === 'imports prune') expect(ran.stdout).toContain('"dryRun": true');
  });
});
