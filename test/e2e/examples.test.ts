import { describe, expect, it } from 'vitest';
import { commandsOf, NOUNS } from '../../src/registry.ts';
import { assumeFirstRuns, runHere } from '../support/in-process.ts';
import { prepare, typed, withCopy } from '../support/prepared.ts';
import { startPty } from '../support/pty.ts';
import { startTerminal } from '../support/terminal.ts';
import { isPlain, wordsOf } from '../support/typed-line.ts';

assumeFirstRuns();

const specs = (await Promise.all(NOUNS.map(commandsOf))).flat();
const EXAMPLES = specs.flatMap(({ path, examples }) =>
  examples.map(({ run }) => [run, path.join(' ')] as const),
);

/** Examples that ask at a terminal. At the first question, the test types the keys. */
const ASKING: Readonly<Record<string, { shows: string; keys: string; exitCode: number }>> = {
  'proc sectors delete sec-9': { shows: '(y/N)', keys: 'y\r', exitCode: 0 },
  'proc addresses delete adr-9': { shows: '(y/N)', keys: 'y\r', exitCode: 0 },
  'proc auth login -p acme -e staging': { shows: 'acme', keys: 'key-of-acme\r', exitCode: 0 },
  'proc requisition wizard': { shows: '?', keys: '\u0003', exitCode: 130 },
  'proc requisition wizard --from last': { shows: '?', keys: '\u0003', exitCode: 130 },
  'proc setup': { shows: '?', keys: '\u0003', exitCode: 130 },
};

const WARNING: Readonly<Record<string, RegExp>> = {
  'proc addresses patch adr-1 --city Córdoba --country Argentina':
    /^{"notice":"city: .*"}\n{"warning":"formattedAddress is still .*"}\n$/,
};

/** `team-ledger.test.ts` runs it. */
const NEEDS_POSTGRES = /imports share/;

/** Examples that need a world without a profile. */
const WITHOUT_PROFILE = ['proc profile add'];

const prepared = await prepare();

const optionsOf = (run: string) => ({
  withSettings: !WITHOUT_PROFILE.some((start) => run.startsWith(start)),
});

const isStart = (run: string) => run.startsWith('proc sandbox start');

describe('every example runs', () => {
  it('and every command has an example, and a summary of one line', () => {
    const few = specs.filter(({ examples }) => examples.length < 1);
    expect(few.map(({ path }) => path.join(' '))).toEqual([]);
    for (const { summary } of specs) expect(summary).toMatch(/^[A-Z][^\n]{5,90}[^.\n]$/);
    for (const [run, path] of EXAMPLES) expect(`${run} `).toContain(`proc ${path} `);
    expect(Object.keys(ASKING).filter((run) => !EXAMPLES.some(([one]) => one === run))).toEqual([]);
  });

  it.each(
    EXAMPLES.filter(
      ([run]) => ASKING[run] === undefined && !isStart(run) && !NEEDS_POSTGRES.test(run),
    ),
  )('%s', async (run) => {
    await withCopy(prepared, optionsOf(run), async (world) => {
      const line = typed(run, prepared);
      const ran = isPlain(run)
        ? await runHere(wordsOf(line, world), world.env, { cwd: world.cwd })
        : await world.shell(line, { env: world.env });
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
      const warning = WARNING[run];
      if (warning === undefined) expect(ran.stderr).not.toMatch(/"error"|"warning"/);
      else expect(ran.stderr).toMatch(warning);
      // An example with an expression must have a result.
      if (/ (?:-q|--query) /.test(run)) expect(ran.stdout.trim()).not.toMatch(/^null$|: null\b/);
    });
  });

  it.each(EXAMPLES.filter(([run]) => ASKING[run] !== undefined))('%s', async (run) => {
    await withCopy(prepared, optionsOf(run), async (world) => {
      const { shows, keys, exitCode } = ASKING[run]!;
      const terminal = startTerminal(world, wordsOf(typed(run, prepared), world));
      await terminal.waitFor(shows);
      terminal.type(keys);
      expect(await terminal.exited, terminal.text()).toBe(exitCode);
    });
  });

  it.each(EXAMPLES.filter(([run]) => isStart(run)))('%s', async (run) => {
    await withCopy(prepared, optionsOf(run), async (world) => {
      // The default port may be taken on this machine.
      const line = run.includes('--port') ? run : `${run} --port 0`;
      const terminal = startPty(world, [], { shell: line });
      await terminal.waitFor('The sandbox is running.');
      await terminal.waitFor('To stop it, press Ctrl-C.');
      terminal.type('\u0003');
      expect(await terminal.exited).toBe(0);
    });
  });
});
