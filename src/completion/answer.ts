import { environmentNames, profileNames, readConfig } from '../config/config-file.ts';
import { profileOf } from '../config/resolve-target.ts';
import type { Env } from '../core/io.ts';
import { synonymsOf } from '../core/wording.ts';
import type { Candidate, FlagModel, Model, Offer } from './offers.ts';

/**
 * Answers a shell when Tab is pressed: one candidate a line, with its description after a tab. Sends no request.
 * Without candidates, the shell offers files.
 *
 * @param argv the words after `proc __complete`, as a script in `completions/` passes them
 */
export function answerCompletion(model: Model, argv: readonly string[], env: Env): string {
  const [shell = '', ...args] = argv;
  // bash splits words at "=", so its script passes the line. PowerShell drops empty words without a "=".
  const words =
    shell === 'bash'
      ? (args[0] ?? '').trimStart().split(/\s+/).slice(1)
      : shell === 'powershell'
        ? [...args.slice(0, -1), (args.at(-1) ?? '').slice(1)]
        : args;
  const { head, typed, candidates } = candidatesAt(
    model,
    words.map((word) => word.replace(/["']/g, '')),
    env,
  );
  const found = candidates.filter(([text]) => text.startsWith(typed));
  return found
    .map(([text, doc]) => (shell === 'bash' ? `${text}\n` : `${head}${text}\t${doc}\n`))
    .join('');
}

interface Found {
  /** E.g. `--dir=` if a flag and its value are one word; otherwise empty. */
  readonly head: string;
  readonly typed: string;
  readonly candidates: readonly Candidate[];
}

/** @param words the words after `proc`, up to the cursor; the last word may be empty */
function candidatesAt(model: Model, words: readonly string[], env: Env): Found {
  const typed = words.at(-1) ?? '';
  const { path, flag, isEnded, positional } = walk(model, words.slice(0, -1));
  const at = Object.hasOwn(model.paths, path) ? model.paths[path]! : {};
  const offered = (offer: Offer) => lookUp(offer, words, env).map((text): Candidate => [text, '']);
  if (flag !== undefined) return { head: '', typed, candidates: offered(flag.value) };
  if (!isEnded && typed.startsWith('-')) {
    const equals = typed.indexOf('=') + 1;
    if (equals > 0) {
      const joined = flagNamed(model, path, typed.slice(0, equals - 1));
      const candidates = offered(joined?.value);
      return { head: typed.slice(0, equals), typed: typed.slice(equals), candidates };
    }
    const flags = [...(at.flags ?? []), ...model.globals];
    return { head: '', typed, candidates: flags.map(({ names, doc }) => [names[0]!, doc]) };
  }
  if (positional === 0 && at.children !== undefined) {
    return { head: '', typed, candidates: at.children };
  }
  const { args = [], variadic = false } = at;
  const candidates = offered(args[positional] ?? (variadic ? args.at(-1) : undefined));
  return { head: '', typed, candidates };
}

interface Walked {
  /** The recognised command, e.g. `orders list`. */
  readonly path: string;
  /** Its value follows. */
  readonly flag: FlagModel | undefined;
  /** True after `--`: no flags follow. */
  readonly isEnded: boolean;
  readonly positional: number;
}

function walk(model: Model, words: readonly string[]): Walked {
  let path = '';
  let flag: FlagModel | undefined;
  let isEnded = false;
  let positional = 0;
  for (const word of words) {
    if (flag !== undefined) flag = undefined;
    else if (!isEnded && word === '--') isEnded = true;
    else if (!isEnded && word.startsWith('-')) {
      const found = flagNamed(model, path, word);
      flag = found?.hasValue === true ? found : undefined;
    } else if (path === '' && word === 'help') continue;
    else {
      const isNoun = path === '' && Object.hasOwn(model.aliases, word);
      const children = model.paths[path]?.children ?? [];
      const verbs = children.map(([child]) => child);
      const name = isNoun ? model.aliases[word]! : (synonymsOf(verbs).get(word) ?? word);
      if (positional === 0 && verbs.includes(name)) path = path === '' ? name : `${path} ${name}`;
      else positional++;
    }
  }
  return { path, flag, isEnded, positional };
}

function flagNamed(model: Model, path: string, name: string): FlagModel | undefined {
  const flags = [...(model.paths[path]?.flags ?? []), ...model.globals];
  return flags.find(({ names }) => names.includes(name));
}

function lookUp(offer: Offer, words: readonly string[], env: Env): readonly string[] {
  if (offer === undefined || typeof offer !== 'string') return offer ?? [];
  const config = readConfig(env);
  if (offer === 'profiles') return profileNames(config);
  const flags = {
    profile: valueIn(words, '--profile', '-p'),
    env: valueIn(words, '--env', '-e'),
  };
  const profile = profileOf({ flags, env }, config);
  return profile === undefined ? [] : environmentNames(config, profile.value);
}

/** The value of a flag among words, in any form: `--env x`, `--env=x`, `-e x`, `-ex`. */
function valueIn(words: readonly string[], long: string, short: string): string | undefined {
  for (const [index, word] of words.entries()) {
    if (word === long || word === short) return words[index + 1];
    if (word.startsWith(`${long}=`)) return word.slice(long.length + 1);
    if (word.startsWith(short) && !word.startsWith('--')) return word.slice(short.length);
  }
  return undefined;
}
