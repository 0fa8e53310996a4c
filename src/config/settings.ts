import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { type ErrorCode, ProcError, whyUnreadable } from '../core/errors.ts';
import type { Dialect } from '../core/service.ts';
import { nodeModule } from '../core/system.ts';
import { readTimeLimit } from '../core/time.ts';
import { check, show } from '../core/validate.ts';
import { nearest } from '../core/wording.ts';
import { checkLedger, parseBaseUrl, parseNewBaseUrl } from './addresses.ts';

export const DEFAULT_DIALECT: Dialect = {
  paging: 'bounded',
  limit: 'limit',
  offset: 'offset',
  page: undefined,
  pageBase: 1,
  sort: 'sort',
  dir: 'dir',
  sectorValue: 'key',
};

export const DIALECT_KEYS = Object.keys(DEFAULT_DIALECT) as readonly (keyof Dialect)[];

/** Nouns whose lists take parameters, so that settings may override their dialect. */
export const OVERRIDABLE = ['orders', 'items'] as const;

export interface DialectSettings {
  readonly all: Partial<Dialect>;
  readonly byNoun: Readonly<Record<string, Partial<Dialect>>>;
}

/** `limit=pageSize`, `items.limit=max` */
const PAIR = new RegExp(
  `^(?:(${OVERRIDABLE.join('|')})\\.)?(${DIALECT_KEYS.join('|')})\\s*=\\s*(.+)$`,
  's',
);

/** Values that are not free, with what is said about others. */
const VALUES: Readonly<Record<string, readonly [RegExp, string]>> = {
  paging: [/^(bounded|none)$/, 'paging must be bounded or none'],
  pageBase: [/^\d{1,9}$/, 'pageBase must be a whole number'],
  sectorValue: [/^(id|key|name)$/, 'sectorValue must be one of id, key, name'],
};

/**
 * Parses `PROC_LIST_NAMES`, or the setting of an environment.
 *
 * @param where the place named in errors, e.g. `PROC_LIST_NAMES`
 * @param code `invalid_usage` for names that were just typed
 */
export function parseDialect(
  text: string,
  where: string,
  code: ErrorCode = 'invalid_setting',
): DialectSettings {
  const all: Record<string, unknown> = {};
  const byNoun: Record<string, Record<string, unknown>> = {};
  for (const pair of text.split(',').map((part) => part.trim())) {
    if (pair === '') continue;
    const [, noun, key = '', value = ''] = PAIR.exec(pair) ?? [];
    const [pattern, expected] = VALUES[key] ?? [/./s, `${key} must be a name`];
    if (!pattern.test(value)) {
      const says =
        key === '' ? `${show(pair)} is not understood` : `${expected}, got ${show(value)}`;
      throw new ProcError(code, `${where}: ${says}`, {
        hint: `Use e.g. limit=pageSize,offset=skip,items.limit=max. Names: ${DIALECT_KEYS.join(', ')}`,
      });
    }
    const read = key === 'pageBase' ? Number(value) : value;
    if (noun === undefined) all[key] = read;
    else byNoun[noun] = { ...byNoun[noun], [key]: read };
  }
  return { all, byNoun };
}

export function dialectFor(settings: DialectSettings, noun: string): Dialect {
  return { ...DEFAULT_DIALECT, ...settings.all, ...settings.byNoun[noun] };
}

/** Of an environment: how a setting is stored and typed. */
interface Setting<S extends z.core.$ZodType> {
  readonly schema: S;
  /** What the help of `profile set` says, if the name does not say it. */
  readonly doc?: string;
  /** Reads the value of `KEY=VALUE`, if it is more than a word, a number, `true` or `false`. */
  read?(text: string, at: Typed): z.infer<S>;
}

interface Typed {
  readonly key: string;
  readonly cwd: string;
  /** Of the address of the environment. */
  readonly origin: string;
}

function setting<S extends z.core.$ZodType>(row: Setting<S>): Setting<S> {
  return row;
}

const flag = { schema: z.optional(z.literal([true, false])) };
const MOST_REQUESTS = 256;
/** The only origin for which a value is used. */
const origin = z.string();

const isTime = (text: string): boolean => readTimeLimit(text) !== undefined;

/** Every setting of an environment. */
const ENVIRONMENT = {
  baseUrl: setting({ schema: z.string(), read: (text) => parseNewBaseUrl(text, 'base-url').href }),
  credential: setting({
    schema: z.optional(z.strictObject({ secret: z.string().check(z.minLength(1)), origin })),
  }),
  /** The kind of the stored credential, and of what `credentialCommand` prints (default `api-key`). */
  scheme: setting({
    schema: z.optional(z.enum(['api-key', 'bearer'])),
    doc: 'api-key or bearer',
  }),
  credentialCommand: setting({
    schema: z.optional(z.strictObject({ argv: z.array(z.string()).check(z.minLength(1)), origin })),
    doc: 'prints the key',
    read: (text, at) => ({ argv: parseCommand(text, at.key), origin: at.origin }),
  }),
  readOnly: setting({ ...flag, doc: 'refuse every write' }),
  protected: setting(flag),
  /** The absolute path of a PEM file. */
  caFile: setting({
    schema: z.optional(z.string()),
    doc: 'certificate authorities to trust too',
    read(text, { cwd }) {
      readAuthorities({ value: text, place: 'caFile' }, cwd);
      return resolve(cwd, text);
    },
  }),
  allowHttp: setting(flag),
  listNames: setting({
    schema: z.optional(z.string()),
    doc: 'what the service calls its list parameters',
    read(text, { key }) {
      parseDialect(text, key, 'invalid_usage');
      return text;
    },
  }),
  ledger: setting({
    schema: z.optional(z.string()),
    doc: 'address of a ledger that a team shares: postgres://USER@HOST/DATABASE, without a password',
    read: checkLedger,
  }),
  /** How long the service may take to apply a request: `5s`. */
  settle: setting({
    schema: z.optional(z.string().check(z.refine(isTime, 'a time such as 5s'))),
    read: (text) => text,
  }),
  /** Requests at once of an import. */
  concurrency: setting({
    schema: z.optional(z.int().check(z.gte(1), z.lte(MOST_REQUESTS))),
    doc: `requests at once of an import, 1 to ${MOST_REQUESTS}`,
  }),
};

type EnvironmentKey = keyof typeof ENVIRONMENT;
type Schemas = { [K in EnvironmentKey]: (typeof ENVIRONMENT)[K]['schema'] };

const ROWS = Object.entries(ENVIRONMENT) as [EnvironmentKey, Setting<z.core.$ZodType>][];
const SETTABLE = ROWS.filter(([key]) => key !== 'credential');

/** No spaces or quotes, because names are typed in shells. The first character excludes flags and `__proto__`. */
export const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._-]{0,63}$/u;

const name = z.string().check(z.regex(NAME));

const profileSchema = z.strictObject({
  environments: z.record(
    name,
    z.strictObject(
      Object.fromEntries(ROWS.map(([key, { schema }]) => [key, schema])) as unknown as Schemas,
    ),
  ),
  defaultEnvironment: z.optional(z.string()),
});

/** Strict: a misspelt `readOnly` that is ignored would let writes through. */
export const CONFIG = z.strictObject({
  /** The current one. */
  profile: z.optional(z.string()),
  profiles: z.optional(z.record(name, profileSchema)),
});

export type Config = z.infer<typeof CONFIG>;
export type ProfileSettings = z.infer<typeof profileSchema>;
export type EnvironmentSettings = ProfileSettings['environments'][string];

/** For the help of `profile set`: each setting, with an explanation if its name needs one. */
export const SETTABLE_DOC = SETTABLE.map(([key, { doc }]) =>
  doc === undefined ? key : `${key} (${doc})`,
).join(', ');

/**
 * Applies `KEY=VALUE` pairs, the address first, because a `credentialCommand` is bound to it. An empty value removes a
 * setting.
 *
 * @throws ProcError `invalid_usage`, `invalid_setting`
 */
export function setKeys(
  settings: EnvironmentSettings,
  pairs: readonly string[],
  cwd: string,
): void {
  const typed = pairs.map(typedPair);
  const all: Record<string, unknown> = settings;
  for (const [key, value] of [
    ...typed.filter(([key]) => key === 'baseUrl'),
    ...typed.filter(([key]) => key !== 'baseUrl'),
  ]) {
    if (value === '' && key !== 'baseUrl') delete all[key];
    else {
      const { origin } = parseBaseUrl(settings.baseUrl, 'baseUrl');
      const { read = plain, schema }: Setting<z.core.$ZodType> = ENVIRONMENT[key];
      all[key] = read(value, { key, cwd, origin });
      const [issue] = check(schema as z.ZodMiniType, all[key]).issues;
      if (issue !== undefined) throw usage(`${key} ${issue.message}`, undefined);
    }
  }
}

function plain(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

function typedPair(pair: string): readonly [key: EnvironmentKey, value: string] {
  const names = SETTABLE.map(([key]) => key);
  const equals = pair.indexOf('=');
  const hint = `Use one of: ${names.join(', ')}`;
  if (equals < 1) throw usage(`${show(pair)} does not have the form KEY=VALUE`, hint);
  const typed = pair.slice(0, equals);
  const found = names.find((key) => key === typed);
  if (found !== undefined) return [found, pair.slice(equals + 1).trim()];
  const near = nearest(typed, names);
  const guess = near === undefined ? hint : `Did you mean "${near}"?`;
  throw usage(`unknown setting ${show(typed)}`, guess);
}

export function parseConcurrency(text: string): number | undefined {
  const count = Number(text);
  return /^\d{1,3}$/.test(text) && count >= 1 && count <= MOST_REQUESTS ? count : undefined;
}

/** Certificate authorities as PEM text. @param place of the setting @throws ProcError `invalid_setting` */
export function readAuthorities(
  { value: path, place }: { readonly value: string; readonly place: string },
  cwd: string,
): string {
  try {
    const text = readFileSync(resolve(cwd, path), 'utf8');
    // A check: TLS ignores an invalid certificate, and the connection would fail later.
    const { X509Certificate } = nodeModule('node:crypto');
    new X509Certificate(text);
    return text;
  } catch (thrown) {
    throw new ProcError('invalid_setting', whyUnreadable(`${place} ${path}`, thrown), {
      hint: 'Give a readable PEM file with a certificate.',
    });
  }
}

/** Parses a JSON array or plain words. Refuses shell syntax, because no shell interprets it. */
function parseCommand(text: string, key: string): string[] {
  const form = `Write it as a JSON array: ${key}='["pass", "show", "acme key"]'`;
  if (!text.startsWith('[')) {
    if (!/["'`$|&;<>()*?\\]/.test(text)) return text.split(/\s+/);
    throw usage(`${key} runs without a shell, but contains shell syntax`, form);
  }
  let words: unknown;
  try {
    words = JSON.parse(text);
  } catch {
    // Not JSON, so not an array of strings.
  }
  const argv = z.array(z.string()).safeParse(words).data;
  if (argv?.[0]) return argv;
  throw usage(`${key} is not a JSON array of strings`, form);
}

function usage(message: string, hint: string | undefined): ProcError {
  return new ProcError('invalid_usage', message, { hint });
}
