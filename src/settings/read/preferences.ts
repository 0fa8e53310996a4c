import { ProcError } from '../../core/errors.ts';
import type { Env, OutputFormat } from '../../core/ports.ts';
import { nearest } from '../../core/text/nearest.ts';
import { show } from '../../core/validate.ts';
import type { Config } from './config-schema.ts';
import { configFile } from './paths.ts';
import type { ProjectFile } from './project-file.ts';
import { first, type Sourced, sourced } from './setting-origin.ts';

type Lang = 'en' | 'es';

export const OUTPUT_FORMATS = [
  'table',
  'json',
  'ndjson',
  'csv',
  'tsv',
  'xlsx',
  'yaml',
  'id',
] as const;
export const LANGS = ['en', 'es'] as const;

export interface Preferences {
  /** If undefined: a table on a terminal, JSON elsewhere. */
  readonly output: Sourced<OutputFormat | undefined>;
  readonly lang: Sourced<Lang>;
}

/**
 * Precedence: flag, variable, project file (format only), configuration, locale (language only),
 * default.
 */
export function preferences(sources: {
  readonly flags: { readonly output?: string | undefined; readonly lang?: string | undefined };
  readonly env: Env;
  readonly project: ProjectFile | undefined;
  readonly config: Config;
  readonly usesLocale?: boolean;
}): Preferences {
  const { flags, env, project, config, usesLocale = true } = sources;
  const output = first(
    [flags.output, 'flag', '--output'],
    [env.PROC_OUTPUT, 'variable', 'PROC_OUTPUT'],
    [project?.output, 'project', `output in ${project?.path}`],
    [config.output, 'config', `output in ${configFile(env)}`],
  );
  const lang = first(
    [flags.lang, 'flag', '--lang'],
    [env.PROC_LANG, 'variable', 'PROC_LANG'],
    [config.lang, 'config', `lang in ${configFile(env)}`],
    localeLang(usesLocale ? env : {}),
  );
  return {
    output:
      output === undefined
        ? sourced(undefined, 'default')
        : { ...output, value: oneOf(OUTPUT_FORMATS, output.value, output.place) },
    lang:
      lang === undefined
        ? sourced('en', 'default')
        : { ...lang, value: oneOf(LANGS, lang.value, lang.place) },
  };
}

function localeLang(env: Env): readonly [string | undefined, 'variable', string] {
  const name = ['LC_ALL', 'LC_MESSAGES', 'LANG'].find((one) => env[one]) ?? 'LANG';
  const lang = LANGS.find((one) => new RegExp(`^${one}(?:[_.@-]|$)`, 'i').test(env[name] ?? ''));
  return [lang, 'variable', name];
}

/** @throws ProcError `invalid_setting` */
export function oneOf<const T extends string>(
  choices: readonly T[],
  value: string,
  where: string,
): T {
  const chosen = choices.find((choice) => choice === value);
  if (chosen !== undefined) return chosen;
  const near = nearest(value, choices);
  const message = `${where}: must be one of ${choices.join(', ')}, got ${show(value)}`;
  throw new ProcError('invalid_setting', message, {
    hint: near === undefined ? undefined : `Did you mean "${near}"?`,
  });
}
