import { type CommandSpec, type Context, command, type PairSpecs } from '../../../core/command.ts';
import { ProcError } from '../../../core/errors.ts';
import { nearest } from '../../../core/text/nearest.ts';
import { show } from '../../../core/validate.ts';
import { SANDBOX_PROFILE } from '../../read/built-in.ts';
import type { Config } from '../../read/config-schema.ts';
import { hasProfile, profileNotFound } from '../../read/lookup.ts';
import { OVERVIEW_KEYS, overview } from '../../read/overview.ts';
import { LANGS, OUTPUT_FORMATS, oneOf } from '../../read/preferences.ts';
import { configPlan } from '../../write/config-plan.ts';
import { storedEnvironment, storedProfile } from '../../write/edits.ts';

const COLUMNS = [
  { key: 'key', header: 'setting', priority: 3 },
  { key: 'value', header: 'value', priority: 3 },
  { key: 'origin', header: 'from', priority: 2 },
  { key: 'place', header: 'place' },
] as const;

/** What `config set` changes; the rest belongs to an environment, hence to `profile set`. */
const SETTABLE_VALUES = {
  profile: 'profiles',
  env: 'environments',
  output: OUTPUT_FORMATS,
  lang: LANGS,
} as const satisfies PairSpecs;

const SETTABLE = Object.keys(SETTABLE_VALUES) as readonly (keyof typeof SETTABLE_VALUES)[];

const list = command({
  path: ['config', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List every setting that holds here, with its origin',
  description:
    'Flags win over environment variables, then the project file (.proc.json), then the profile ' +
    'and the configuration file, then the defaults. Keys are shown as fingerprints only.',
  examples: [
    { run: 'proc config list', doc: 'Where would a command go, and why there?' },
    { run: 'proc config list --where origin=variable', doc: 'What the environment sets' },
  ],
  exitCodes: [3],
  async handler(_input, ctx) {
    const { rows, problems } = overview(await ctx.settings());
    tell(ctx, problems);
    return { kind: 'rows', columns: COLUMNS, rows, idField: 'key', empty: 'No settings' };
  },
});

const get = command({
  path: ['config', 'get'],
  changes: 'nothing',
  prints: 'record',
  summary: 'Show one setting that holds here, with its origin',
  args: { key: { doc: 'for instance profile, env, base-url, output', suggest: OVERVIEW_KEYS } },
  examples: [
    { run: 'proc config get base-url -o id', doc: 'The bare value, for scripts' },
    { run: 'proc config get env', doc: 'The usual environment, and where that is said' },
  ],
  exitCodes: [3],
  async handler({ args }, ctx) {
    const { rows, problems } = overview(await ctx.settings());
    const value = rows.find((row) => row.key === args.key);
    if (value === undefined) {
      throw unknownKey(
        args.key,
        rows.map((row) => String(row.key)),
      );
    }
    // Problems of other settings are no answer to this question.
    if (value.value === null) tell(ctx, problems);
    return { kind: 'record', columns: COLUMNS, value, idField: 'value' };
  },
});

const set = command({
  path: ['config', 'set'],
  changes: 'local',
  prints: 'record',
  summary: 'Store a setting in the configuration file',
  description: `Settings: ${SETTABLE.join(', ')}. "env" is the usual environment of the current profile.`,
  args: {
    key: { doc: SETTABLE.join(', '), suggest: SETTABLE },
    value: { doc: 'its value', suggestBy: SETTABLE_VALUES },
  },
  examples: [
    { run: 'proc config set output json', doc: 'JSON on terminals too' },
    { run: 'proc config set lang es', doc: 'Questions in Spanish' },
  ],
  exitCodes: [3],
  async plan({ args }, ctx) {
    const key = settable(args.key);
    return configPlan(await ctx.settings(), {
      change(draft) {
        if (key === 'profile') {
          if (!hasProfile(draft, args.value)) throw profileNotFound(draft, args.value, '');
          draft.profile = args.value;
        } else if (key === 'env') {
          const profile = currentProfile(draft);
          storedEnvironment(draft, profile, args.value);
          storedProfile(draft, profile).defaultEnvironment = args.value;
        } else {
          draft[key] = oneOf(key === 'output' ? OUTPUT_FORMATS : LANGS, args.value, key);
        }
      },
      result: () => ({ kind: 'record', value: { key, value: args.value }, idField: 'value' }),
    });
  },
});

const unset = command({
  path: ['config', 'unset'],
  changes: 'local',
  prints: 'record',
  summary: 'Remove a setting from the configuration file',
  args: { key: { doc: SETTABLE.join(', '), suggest: SETTABLE } },
  examples: [
    { run: 'proc config unset output', doc: 'Tables on terminals again' },
    { run: 'proc config unset lang', doc: 'Questions in the language of the locale' },
  ],
  exitCodes: [3],
  async plan({ args }, ctx) {
    const key = settable(args.key);
    return configPlan(await ctx.settings(), {
      change(draft) {
        if (key !== 'env') delete draft[key];
        else delete storedProfile(draft, currentProfile(draft)).defaultEnvironment;
      },
      result: () => ({ kind: 'record', value: { key, value: null }, idField: 'key' }),
    });
  },
});

const path = command({
  path: ['config', 'path'],
  changes: 'nothing',
  prints: 'text',
  summary: 'Print the path of the configuration file',
  examples: [
    { run: 'proc config path', doc: 'Whether the file exists or not' },
    { run: 'proc config path --out path.txt', doc: 'Into a file' },
  ],
  async handler(_input, ctx) {
    return { kind: 'text', text: `${(await ctx.settings()).path}\n` };
  },
});

function tell(ctx: Context, problems: readonly ProcError[]): void {
  for (const problem of problems) {
    const hint = problem.hint === undefined ? '' : ` ${problem.hint}`;
    ctx.say({ kind: 'warning', text: `${problem.message}.${hint}` });
  }
}

function settable(key: string): (typeof SETTABLE)[number] {
  const found = SETTABLE.find((one) => one === key);
  if (found === undefined) throw unknownKey(key, SETTABLE);
  return found;
}

function unknownKey(key: string, known: readonly string[]): ProcError {
  const near = nearest(key, known);
  const suggestion = near === undefined ? '' : `Did you mean "${near}"? `;
  return new ProcError('invalid_usage', `There is no setting ${show(key)} here`, {
    hint: `${suggestion}Possible: ${known.join(', ')}. Settings of an environment: proc profile set NAME -e ENV KEY=VALUE`,
  });
}

function currentProfile(config: Config): string {
  return config.profile ?? SANDBOX_PROFILE;
}

export const configCommands: readonly CommandSpec[] = [list, get, set, unset, path];
