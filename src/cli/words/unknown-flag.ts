import type { CommandSpec } from '../../core/command-spec.ts';
import { ProcError } from '../../core/errors.ts';
import { kebab } from '../../core/text/kebab.ts';
import { equallyNear, nearest } from '../../core/text/nearest.ts';
import { inShell } from '../../core/text/typed.ts';
import { GLOBAL_FLAGS } from '../flags/globals.ts';
import { loadTree } from '../tree.ts';
import { type Place, ROOT } from './command-place.ts';
import { flagMeant } from './foreign-flags.ts';
import { helpHint } from './take-flags.ts';

const GLOBAL_NAMES = Object.keys(GLOBAL_FLAGS).map((key) => `--${kebab(key)}`);

/**
 * @param typed e.g. `--flag=VALUE`; the error does not repeat the value, which may be a key
 * @param argv the words after `proc`
 */
export async function unknownFlag(
  typed: string,
  place: Place,
  argv: readonly string[],
): Promise<ProcError> {
  const [flag] = /^-[^=]+/.exec(typed) ?? [typed];
  const runsCommand = place.name === 'proc sandbox exec';
  const command = runsCommand ? undefined : await commandIn(argv);
  const hint =
    (runsCommand ? separated(argv) : undefined) ??
    (command === undefined ? undefined : moved(argv, flag, command)) ??
    foreignFlag(typed, argv, place.spec ?? command) ??
    nearFlag(typed, flag, place) ??
    helpHint(place);
  return new ProcError('unknown_flag', `unknown option '${flag}'`, { hint });
}

/**
 * For `sandbox exec CMD --flag`: the hint to put `--` before CMD. If a flag comes before CMD, there
 * is no hint, because the flag may be meant for `sandbox exec`.
 */
function separated(argv: readonly string[]): string | undefined {
  const first = argv.indexOf('exec') + 1;
  if (argv[first] === undefined || argv[first].startsWith('-')) return undefined;
  const line = [...argv.slice(0, first), '--', ...argv.slice(first)].map(inShell).join(' ');
  return `Put -- before the command: proc ${line}`;
}

const INSTEAD_OF_WATCH =
  'See what changed since last time: proc orders changes --since daily --save daily. Wait for an order: proc orders wait PO-00042 --for status=complete';

function foreignFlag(
  typed: string,
  argv: readonly string[],
  spec: CommandSpec | undefined,
): string | undefined {
  if (/^--watch(=|$)/.test(typed) && spec?.path[0] === 'orders') return INSTEAD_OF_WATCH;
  const meant = flagMeant(typed, argv[argv.indexOf(typed) + 1], spec);
  return meant === undefined ? undefined : `Did you mean ${meant}?`;
}

function nearFlag(typed: string, flag: string, place: Place): string | undefined {
  if (!flag.startsWith('--')) return undefined;
  const flags = place === ROOT ? {} : place.flags;
  const own = [...Object.keys(flags).map(kebab), 'help', 'version'];
  const found = equallyNear(typed.slice(2), own).map((name) => `--${name}`);
  const [first, ...others] = found;
  const near = nearest(flag, [...(others.length === 0 ? found : []), ...GLOBAL_NAMES]);
  const meant = near ?? (others.length === 0 ? first : `one of ${found.join(', ')}`);
  return meant === undefined ? undefined : `Did you mean ${meant}?`;
}

/** The longest command whose words occur in `argv` in the same order. */
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

function follow(path: readonly string[], words: readonly string[]): boolean {
  let from = 0;
  for (const word of path) {
    const at = words.indexOf(word, from);
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}

/** For `proc orders --limit 3 list`: the hint to put the flag after the verb. */
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
  return `Put the flag after the verb: proc ${line}`;
}
