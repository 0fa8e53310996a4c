import type { CommanderError } from 'commander';
import type { CommandSpec } from '../../core/command-spec.ts';
import { type ErrorCode, ProcError } from '../../core/errors.ts';
import { nearest } from '../../core/text/nearest.ts';
import { inShell } from '../../core/text/typed.ts';
import { kebab } from '../../nouns/shared/body-flags.ts';
import { GLOBAL_FLAGS } from '../flags/globals.ts';
import { loadTree } from '../tree.ts';
import { Complaint } from './complaint.ts';

const CODES: Readonly<Record<string, ErrorCode>> = {
  'commander.unknownCommand': 'unknown_command',
  'commander.unknownOption': 'unknown_flag',
  'commander.excessArguments': 'invalid_usage',
};

const GLOBAL_NAMES = Object.keys(GLOBAL_FLAGS).map((key) => `--${kebab(key)}`);

/**
 * Commander's complaints as errors of proc; help that was asked for is no complaint: undefined.
 *
 * @param argv the words after `proc`, for a flag that stands at the wrong place.
 */
export async function usageError(
  thrown: CommanderError,
  argv: readonly string[],
): Promise<ProcError | undefined> {
  if (/^commander\.(help|version)/.test(thrown.code)) return undefined;
  const [first = '', ...rest] = thrown.message.replace(/^error: /, '').split('\n');
  const suggested = /\(Did you mean (.*)\?\)/.exec(rest.join(' '))?.[1];
  const typed = /^unknown option '(-[^'=]+)/.exec(first)?.[1];
  const command = await commandIn(argv);
  const hint =
    (typed === undefined || command === undefined ? undefined : moved(argv, typed, command)) ??
    nearFlag(typed, suggested) ??
    (thrown instanceof Complaint ? thrown.hint : 'See what there is: proc help');
  // What follows the `=` may be a key: `--api-key=…` is what people try first.
  const message = first.replace(/^(unknown option '-[^'=]+)=[\s\S]*'$/, "$1'");
  return new ProcError(CODES[thrown.code] ?? 'invalid_usage', message, { hint });
}

function nearFlag(typed: string | undefined, suggested: string | undefined): string | undefined {
  // Commander does not suggest what its help hides: the flags of every command.
  const candidates = [...(suggested === undefined ? [] : [suggested]), ...GLOBAL_NAMES];
  const near =
    typed === undefined || !typed.startsWith('--')
      ? suggested
      : (nearest(typed, candidates) ?? suggested);
  return near === undefined ? undefined : `Did you mean ${near}?`;
}

/** The command whose words stand among these, the longest first. */
async function commandIn(argv: readonly string[]): Promise<CommandSpec | undefined> {
  const { nouns } = await loadTree();
  let found: CommandSpec | undefined;
  for (const { name, alias, commands } of nouns) {
    const words = argv.map((word) => (word === alias ? name : word));
    for (const spec of commands) {
      if (spec.path.length > (found?.path.length ?? 0) && follow(spec.path, words)) found = spec;
    }
  }
  return found;
}

/** Whether the words of a path stand among others, in their order. */
function follow(path: readonly string[], words: readonly string[]): boolean {
  let from = 0;
  for (const word of path) {
    const at = words.indexOf(word, from);
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}

/** A flag of the command that stands before its verb: only global flags may. */
function moved(
  argv: readonly string[],
  flag: string,
  { path, flags = {} }: CommandSpec,
): string | undefined {
  const own = Object.entries(flags).find(
    ([key, { short }]) => flag === `--${kebab(key)}` || flag === `-${short}`,
  );
  if (own === undefined) return undefined;
  const at = argv.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (own[1].kind === 'boolean' && argv[at] !== flag) return `${flag} takes no value`;
  const takesNext = own[1].kind !== 'boolean' && argv[at] === flag;
  const words = argv.slice(at, at + (takesNext ? 2 : 1));
  const rest = argv.filter((_, index) => index < at || index >= at + words.length);
  const verb = rest.lastIndexOf(path.at(-1)!) + 1;
  const line = [...rest.slice(0, verb), ...words, ...rest.slice(verb)].map(inShell).join(' ');
  return `A flag of one command stands behind its verb: proc ${line}`;
}
