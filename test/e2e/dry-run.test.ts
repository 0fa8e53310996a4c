import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOUNS } from '../../src/cli/registry.ts';
import { assumeFirstRuns, runHere } from '../support/in-process.ts';
import { type Prepared, prepare, typed, withCopy } from '../support/prepared.ts';
import type { World } from '../support/run.ts';
import { snapshot } from '../support/snapshot.ts';
import { wordsOf } from '../support/typed-line.ts';

assumeFirstRuns();

const SPECS = (await Promise.all(NOUNS.map((noun) => noun.load()))).flat();

/** Commands that only ask questions. Without a terminal they fail, even with --dry-run. */
const ASKING = new Set(['setup', 'requisition wizard']);

/** Commands that change this machine, in forms that no example shows. */
const MORE: ReadonlyArray<readonly [string, string]> = [
  ['imports resolve', 'proc imports resolve 20260303-120000-5e6f --drop'],
  ['imports resolve', 'proc imports resolve 20260303-120000-5e6f --resend --all --yes'],
  ['imports resolve', 'proc imports resolve 20260303-120000-5e6f 1 2 3 --drop --yes'],
  ['imports prune', 'proc imports prune --before 2099-01-01 --yes'],
  ['sandbox start', 'proc sandbox start --db other.db --port 0'],
  ['profile remove', 'proc profile remove acme --yes'],
  ['doctor', 'proc doctor'],
  ['items import', 'proc items import - --yes'],
  ['requisition import', 'proc requisition import examples/requisitions.ndjson --on-sent skip'],
];

/** Exit codes that are not 0. Null: any code, because it depends on look-ups. */
const ENDS: Readonly<Record<string, number | null>> = {
  'proc profile add acme -e staging --base-url https://staging.example.com/api/v1': 2,
  'proc auth login -p acme -e staging': 2,
};

const CASES = [
  ...SPECS.flatMap(({ path, examples, changes }) =>
    (changes === 'nothing' ? examples.slice(0, 1) : examples).map(
      ({ run }) => [path.join(' '), run] as const,
    ),
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
    // The default port may be taken on this machine.
    const own = run.replace(/sandbox start(?!.*--port)/, 'sandbox start --port 0');
    const args = ['--dry-run', ...wordsOf(typed(own, prepared), world)];
    const stdin = path === 'items import' ? '{"name":"Piped","code":"P-1"}\n' : 'sec-1\n';
    // A dry run writes the file of `--out`, because this file is the result. The test restores it before the
    // comparison.
    const out = args.includes('--out') ? join(world.cwd, args[args.indexOf('--out') + 1]!) : '';
    const earlier = existsSync(out) ? await readFile(out) : undefined;
    const ran = await runHere(args, world.env, { stdin, cwd: world.cwd });
    const { [run]: ends = ASKING.has(path) ? 2 : 0 } = ENDS;
    if (ends !== null) expect(ran, ran.stderr).toMatchObject({ exitCode: ends });
    if (earlier !== undefined) await writeFile(out, earlier);
    else if (out !== '') await rm(out);
    expect(snapshot(world.folder)).toEqual(before);
    const spec = SPECS.find((one) => one.path.join(' ') === path)!;
    if (spec.changes === 'local' && ends === 0 && path !== 'doctor') {
      expect(ran.stdout).toContain('"dryRun": true');
    }
  });
});
