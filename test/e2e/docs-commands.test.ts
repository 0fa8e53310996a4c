import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startOwnSandbox } from '../support/dialects.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { prepare, typed, withCopy } from '../support/prepared.ts';
import { startPty } from '../support/pty.ts';
import { type Ran, ROOT, type World } from '../support/run.ts';
import { screenOf } from '../support/screen.ts';
import { isPlain, wordsOf } from '../support/typed-line.ts';

assumeFirstRuns();

interface Block {
  readonly page: string;
  readonly line: number;
  /** `sh`: commands. `console`: commands after `$ `, each with its output below. */
  readonly kind: string;
  readonly lines: readonly string[];
}

/** For a line that ends in `# on a terminal`: the text to wait for, and the keys to press then. */
const ON_A_TERMINAL: Readonly<Record<string, { shows: string; keys: string; exitCode: number }>> = {
  'proc auth login -p acme -e staging': { shows: 'acme', keys: 'proc-sandbox-key\r', exitCode: 0 },
  'proc sandbox start': { shows: 'To stop it, press Ctrl-C.', keys: '\u0003', exitCode: 0 },
  'proc requisition wizard': { shows: '?', keys: '\u0003', exitCode: 130 },
};

/** Blocks that are not run here, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'docs/install.md': 'builds of the package and the single executable',
  'CONTRIBUTING.md': 'npm scripts of the checkout: these tests are among them',
  'docs/internals/proofs.md': 'minutes of the simulation, of which other tests play a part',
  'docs/internals/protocol.md': 'minutes of the model, of which other tests explore a part',
};

/**
 * Pages that begin with nothing but a clone: no profile, no key, no earlier run. All their lines run in a shell. On other
 * pages, a reader has runs, drafts and history already: those of `prepare`.
 */
const FROM_NOTHING = ['README.md', 'docs/import.md', 'docs/profiles.md', 'docs/scripting.md'];

/** What a page cannot make and `examples/` does not have: a reader's own keys and files. */
const OWN_FILES: Readonly<Record<string, readonly string[]>> = {
  'docs/profiles.md': ['key.txt'],
  'docs/scripting.md': ['catalog.csv'],
};

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...(await readdir(join(ROOT, 'docs'), { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/${name}`),
];
const texts = new Map(
  await Promise.all(
    PAGES.map(async (page) => [page, await readFile(join(ROOT, page), 'utf8')] as const),
  ),
);
const BLOCKS = PAGES.flatMap((page) => blocksOf(page, texts.get(page)!));

function blocksOf(page: string, text: string): Block[] {
  const blocks: Block[] = [];
  let open: { fence: string; kind: string; line: number; lines: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    // `sh no-run`: another test runs the block.
    const fence = /^(`{3,})([\w -]*)/.exec(line);
    if (open === undefined && fence !== null) {
      open = { fence: fence[1]!, kind: fence[2]!, line: index + 1, lines: [] };
    } else if (open !== undefined && line.startsWith(open.fence)) {
      blocks.push({ page, ...open });
      open = undefined;
    } else open?.lines.push(line);
  }
  return blocks;
}

const prepared = await prepare();

/** The prepared run that replaces RUN, by the verb of the line. */
const RUNS: Readonly<Record<string, string>> = { resolve: '20260303-120000-5e6f7a' };

/** Replaces the services and names on a page by the sandbox and prepared names. `# exit 8` is the exit code of a line. */
function here(line: string, page: string): string {
  const verb = Object.keys(RUNS).find((one) => line.includes(` ${one} `)) ?? '';
  const run = FROM_NOTHING.includes(page)
    ? '$(proc imports list -o id | head -n 1)'
    : prepared.names.get(RUNS[verb] ?? '20260301-093000-1a2b3c')!;
  const exit = /\s#.*\bexit (\d+)\b/.exec(line)?.[1];
  const own = exit === undefined ? line : `${commandOf(line)} || [ $? -eq ${exit} ]`;
  return (
    typed(own, prepared)
      .replace(
        /https:\/\/(?:procurement|staging)\.example(?:\.com)?\/api\/v1/g,
        prepared.door.baseUrl,
      )
      .replace(/\bRUN\b/g, () => run)
      // The default port may be taken on this machine.
      .replace(/proc sandbox start(?! --port)/, 'proc sandbox start --port 0')
  );
}

const BARE = Object.fromEntries(
  ['PROC_BASE_URL', 'PROC_API_KEY', 'PROC_CONFIG_DIR', 'PROC_STATE_DIR'].map((name) => [
    name,
    undefined,
  ]),
);

const isOnTerminal = (line: string) => /# on a terminal/.test(line);
const commandOf = (line: string) => line.replace(/\s+#.*$/, '');

/** Whether each line is one complete command. */
const isTable = (script: readonly string[]) => script.every((one) => /^proc .*[^\\]$/.test(one));

async function runBlock({ page, line, lines }: Block, world: World): Promise<void> {
  let script: string[] = [];
  const env = { ...BARE, ...world.env, KEY: 'proc-sandbox-key' };
  const asTyped = FROM_NOTHING.includes(page);
  const expectDone = (text: string, { exitCode, stdout, stderr }: Ran): void =>
    expect(exitCode, `${page}:${line}\n${text}\n${stdout}\n${stderr}`).toBe(0);
  const runScript = async (): Promise<void> => {
    const own = script.map((one) => here(one, page));
    script = [];
    const text = own.join('\n');
    if (FROM_NOTHING.includes(page) || !isTable(own)) {
      expectDone(text, await world.shell(`set -e\n${text}`, { env }));
      return;
    }
    for (const one of own.map(commandOf)) {
      const words = isPlain(one) ? wordsOf(one, world) : undefined;
      expectDone(
        one,
        await (words ? world.run(words, { env, asTyped }) : world.shell(one, { env })),
      );
    }
  };
  for (const one of lines) {
    // What follows runs in the sandbox of the page.
    if (/^npm |^(\S+ bin\/proc\.js|proc) sandbox exec$/.test(one)) continue;
    if (!isOnTerminal(one)) {
      if (!/^(?:#.*)?$/.test(one)) script.push(one);
      continue;
    }
    await runScript();
    const { shows, keys, exitCode } = ON_A_TERMINAL[commandOf(one)]!;
    const terminal = startPty(world, [], { shell: `exec ${here(commandOf(one), page)}` });
    await terminal.waitFor(shows);
    terminal.type(keys);
    expect(await terminal.exited, terminal.text()).toBe(exitCode);
  }
  await runScript();
}

/** Text that differs between runs. Each pair is a pattern on the page and a pattern in the output. */
const VARIES: ReadonlyArray<readonly [RegExp, string]> = [
  [/\d{8}-\d{6}-\w{6}/, '\\d{8}-\\d{6}-\\w{6}'],
  [/\b[hd]-[\da-z]{6}\b/, '[hd]-[\\da-z]{6}'],
  [/\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?/, '\\d{4}-\\d\\d-\\d\\d(?:[T ][\\d:.]+Z?)?'],
  // A range of times, e.g. `5 to 9 ms`. The output may be a single time.
  [/\d+ to \d+ ?ms/, '\\d+(?: to \\d+)? ?ms'],
  [/\d[\d.,]*(?= ?m?s\b|\/s\b)/, '[\\d.,]+'],
  [/(?<=127\.0\.0\.1:)\d+/, '\\d+'],
  [/~\S*/, '\\S+'],
  [/…/, '.*'],
  [/─+/, '─+'],
  [/ {2,}/, '\\s+'],
];
const ANY_OF_THEM = new RegExp(VARIES.map(([pattern]) => pattern.source).join('|'), 'g');

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The pattern of an output line. It ignores widths, and whatever differs between runs. */
function likeOf(line: string): RegExp {
  const text = line.trim();
  let pattern = '';
  let at = 0;
  for (const { 0: found, index } of text.matchAll(ANY_OF_THEM)) {
    pattern += escaped(text.slice(at, index));
    pattern +=
      VARIES.find(([varies]) => new RegExp(`^(?:${varies.source})$`).test(found))?.[1] ?? '\\d+';
    at = index + found.length;
  }
  return new RegExp(pattern + escaped(text.slice(at)), 'm');
}

/** Compares each command's output with the page, line by line; `…` on a line of its own stands for any lines. */
async function runConsole({ page, line, lines }: Block, world: World): Promise<void> {
  const commands: { typed: string; wanted: string[] }[] = [];
  for (const one of lines) {
    if (one.startsWith('$ ')) commands.push({ typed: one.slice(2), wanted: [] });
    else if (one.trim() !== '') commands.at(-1)!.wanted.push(one);
  }
  for (const { typed: command, wanted } of commands) {
    const terminal = startPty(world, [], {
      cols: 120,
      shell: here(command, page),
      env: { PROC_NO_INPUT: '1', NO_COLOR: '1' },
    });
    await terminal.exited;
    const shown = screenOf(terminal.text(), 120).split('\n');
    expectInOrder(
      wanted,
      shown.filter((one) => one.trim() !== ''),
      `${page}:${line}: ${command}`,
    );
  }
}

function expectInOrder(wanted: readonly string[], shown: readonly string[], where: string): void {
  let at = 0;
  let maySkip = false;
  for (const one of wanted) {
    if (one.trim() === '…') {
      maySkip = true;
      continue;
    }
    const like = likeOf(one);
    const found = shown.findIndex((text, index) => index >= at && like.test(text));
    const isNext = maySkip ? found >= at : found === at;
    expect(isNext, `${where}\nexpected next: ${one}\n${shown.slice(at).join('\n')}`).toBe(true);
    at = found + 1;
    maySkip = false;
  }
  expect(maySkip ? [] : shown.slice(at), `${where}\nnot on the page`).toEqual([]);
}

describe('every command line of the documentation runs', () => {
  const runnable = PAGES.filter((page) => ELSEWHERE[page] === undefined).filter((page) =>
    BLOCKS.some((block) => block.page === page && ['sh', 'console'].includes(block.kind)),
  );

  it.each(runnable)('%s', async (page) => {
    const withSettings = !FROM_NOTHING.includes(page);
    await withCopy(prepared, { withSettings, atHome: true }, async (world) => {
      for (const name of withSettings ? [] : await readdir(world.stateDir))
        await rm(join(world.stateDir, name), { recursive: true });
      await world.file('key.txt', 'proc-sandbox-key\n');
      await world.file('catalog.csv', 'code,name\nCAT-1,Bolt\n');
      const kept = ['examples', ...(OWN_FILES[page] ?? [])];
      for (const name of await readdir(world.cwd))
        if (!kept.includes(name)) await rm(join(world.cwd, name), { recursive: true });
      await world.shell(
        'git config --global user.name Ana; git config --global user.email a@example.com',
      );
      const tool = join(world.folder, 'bin', 'sqlite3');
      await world.shell(`cat > ${tool} <<'END'\n${SQLITE}\nEND\nchmod +x ${tool}`);
      const asOf = new Date().toISOString().slice(0, 10);
      const fresh = withSettings ? undefined : await startOwnSandbox({ hasItems: true, asOf });
      const used = fresh
        ? { ...world, env: { ...world.env, PROC_BASE_URL: fresh.baseUrl } }
        : world;
      try {
        for (const block of BLOCKS.filter((one) => one.page === page)) {
          if (block.kind === 'sh') await runBlock(block, used);
          if (block.kind === 'console') await runConsole(block, used);
        }
      } finally {
        await fresh?.close();
      }
    });
  });

  it('every command line that does not run has a reason', () => {
    for (const page of Object.keys(ELSEWHERE)) expect(PAGES).toContain(page);
    const lines = BLOCKS.filter(({ kind }) => kind === 'sh').flatMap((block) => block.lines);
    const marked = lines.filter(isOnTerminal).map(commandOf);
    expect([...new Set(marked)].sort()).toEqual(Object.keys(ON_A_TERMINAL).sort());
  });

  it('every file in examples that a page names exists', async () => {
    const held = await readdir(join(ROOT, 'examples'));
    const named = [...texts].flatMap(([page, text]) =>
      [...text.matchAll(/\bexamples\/([\w.-]*\w)/g)].map(([, name]) => [page, name!] as const),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(([, name]) => !held.includes(name))).toEqual([]);
  });

  it('commands are in blocks that are marked as such', () => {
    for (const { page, line, kind, lines } of BLOCKS) {
      if (['sh', 'console', 'screen', 'sh no-run'].includes(kind)) continue;
      const commands = lines.filter((one) => /^(\$ |proc |npm |sqlite3 )/.test(one));
      expect(commands, `${page}:${line}`).toEqual([]);
    }
  });
});

/** Replaces the tool sqlite3, which few machines have. Usage: sqlite3 FILE SQL. */
const SQLITE = `#!/usr/bin/env node
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(process.argv[2]);
for (const row of database.prepare(process.argv[3]).all()) console.log(Object.values(row).join('|'));`;
