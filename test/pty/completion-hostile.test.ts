import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { completionModel } from '../../src/cli/completion-model.ts';
import { answerCompletion } from '../../src/completion/answer.ts';
import { completionScripts } from '../../src/completion/scripts.ts';
import { keepSeen } from '../../src/completion/seen.ts';
import { scopeIn } from '../../src/completion/target.ts';
import { isInstalled } from '../support/installed.ts';
import { freshWorld, type World } from '../support/run.ts';
import { type ShellName, startShell } from '../support/shell.ts';

const model = await completionModel();
const scripts = await completionScripts();

const RUN = 'touch pwned';

/** Codes of a hostile service. A shell that read one of them without quotes would run or change something. */
const CODES: readonly string[] = [
  `";${RUN};"`,
  `';${RUN};'`,
  `"'";${RUN};'"`,
  `;${RUN}`,
  `&&${RUN}`,
  `|${RUN}`,
  `||${RUN};`,
  `&${RUN}`,
  `$(${RUN})`,
  `\`${RUN}\``,
  `"$(${RUN})"`,
  `'$(${RUN})'`,
  `"\`${RUN}\`"`,
  `\\";${RUN};\\"`,
  `\\';${RUN};\\'`,
  `\\$(${RUN})`,
  `\\\\$(${RUN})`,
  `\\`,
  `\\\\`,
  `$'\\047;${RUN};\\047'`,
  `'"'"';${RUN};'"'"'`,
  `\${x:=$(${RUN})}`,
  `$((x[$(${RUN})]))`,
  `(${RUN})`,
  `{a;${RUN};}`,
  `>pwned`,
  `<(${RUN})`,
  `=(${RUN})`,
  `!!;${RUN}`,
  `!!"!!'`,
  `#;${RUN}`,
  `~root*?[a]`,
  ` ${RUN} & `,
  `%s"%n;^a^b^`,
];

/** What is typed before a code, and the word that Tab must then produce. */
const PLACES: ReadonlyArray<readonly [string, (code: string) => string]> = [
  ['orders get ', (code) => code],
  ['orders get "PO 1" ', (code) => code],
  ['imputations create --order ', (code) => code],
  ['imputations create --order=', (code) => `--order=${code}`],
  ['requisition create --item code=', (code) => `code=${code}`],
  ['requisition create --item=code=', (code) => `--item=code=${code}`],
  ['requisition create --item quantity=2,code=', (code) => `quantity=2,code=${code}`],
];

const QUOTES = ['', '"', "'", '\\'];

/** The same codes with different beginnings, so that Tab finds exactly one. */
const named = CODES.map((code, index) => `${'KMPQ'[index % 4]}${index}z${code}`);

async function hostileShell(shell: ShellName) {
  const world = await freshWorld({ PROC_BASE_URL: 'http://127.0.0.1:9/api/v1' });
  const rows = named.map((code) => ({ code, name: RUN }));
  keepSeen(
    world.env,
    scopeIn([], world.env)!,
    new Map([
      ['orders', rows],
      ['items', rows],
    ]),
  );
  const session = await startShell(shell, world, scripts[shell], await answeringHere(world));
  return { world, session };
}

/** Answers each Tab in this process. New processes would take minutes. */
async function answeringHere({ folder, env, cwd }: World): Promise<string> {
  const [asked, answered] = [join(folder, 'asked'), join(folder, 'answered')];
  execFileSync('mkfifo', [asked, answered]);
  const answering = (async () => {
    for (;;) {
      const words = (await readFile(asked, 'utf8')).split('\0').slice(0, -1);
      if (words.length === 0) return;
      await writeFile(answered, answerCompletion(model, words, env, cwd));
    }
  })();
  onTestFinished(async () => {
    await writeFile(asked, '');
    await answering;
  });
  return `printf '%s\\0' "$@" > ${asked}; cat ${answered}`;
}

const shells = (['bash', 'zsh', 'fish'] as const).filter(isInstalled);

/**
 * Combines every code with every quote, and spreads them over the places. `PROC_TEST_ALL=1` runs all
 * combinations, a minute or more for each shell.
 */
const CASES = named
  .flatMap((code, nth) =>
    PLACES.flatMap(([place, word], at) =>
      QUOTES.map((quote, other) => ({ code, place, word, quote, turn: nth + at + other })),
    ),
  )
  .filter(({ turn }) => process.env.PROC_TEST_ALL === '1' || turn % PLACES.length === 0);

describe.each(shells)('Tab and Enter in %s, with codes of a hostile service', (shell) => {
  it('insert the code itself or what was typed, and run nothing', {
    timeout: 300_000,
  }, async () => {
    const { world, session } = await hostileShell(shell);
    const before = await readdir(world.cwd);
    for (const { code, place, word, quote } of CASES) {
      const keys = `proc ${place}${quote}${code.slice(0, code.indexOf('z') + 1)}\t`;
      // Bash cannot quote `!` after `"`, so proc offers nothing there.
      const isOffered = shell !== 'bash' || quote !== '"' || !code.includes('!');
      const words = await session.ran(keys);
      expect(words?.at(-1), keys).toBe(isOffered ? word(code) : undefined);
    }
    expect(await readdir(world.cwd)).toEqual(before);
  });
});
