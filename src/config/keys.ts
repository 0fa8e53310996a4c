import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { parseDialect } from '../client/dialect.ts';
import { ProcError } from '../core/errors.ts';
import type { Column } from '../core/result.ts';
import { Secret } from '../core/service/secret.ts';
import { readTimeLimit } from '../core/time/duration.ts';
import { show } from '../core/validate.ts';
import { type BaseUrl, parseNewBaseUrl } from './base-url.ts';
import { fingerprint } from './clean-secret.ts';
import { checkLedger } from './ledger-address.ts';

/** One setting of an environment: how it is stored, typed and shown. */
interface Setting<S extends z.core.$ZodType> {
  readonly schema: S;
  /** What the help of `profile set` says, if the name does not say it. */
  readonly doc?: string;
  /** Possible values, for completion. */
  readonly values?: readonly string[];
  /** Reads the value of `KEY=VALUE`. Without this function, `profile set` does not accept the setting. */
  parse?(text: string, key: string, cwd: string): z.infer<S>;
  /** What `profile show` prints; undefined: nothing. The value may be missing: then the default. */
  show?(value: z.infer<S> | undefined, beside: Beside): unknown;
  /** The column of `profile show`. */
  readonly column?: Omit<Column, 'key'>;
}

/** Settings of the same environment that decide what another one shows. */
interface Beside {
  readonly url: BaseUrl;
  readonly credentialCommand?: readonly string[] | undefined;
}

function setting<S extends z.core.$ZodType>(row: Setting<S>): Setting<S> {
  return row;
}

const text = z.optional(z.string());
const argv = z.optional(z.array(z.string()).check(z.minLength(1)));
const scheme = z.enum(['api-key', 'bearer']);
const trueOrFalse = {
  schema: z.optional(z.boolean()),
  values: ['true', 'false'],
  parse: (value: string, key: string) =>
    chosen(['true', 'false'], value, `${key} must be true or false`, `${key}=true`) === 'true',
} as const;

/** Every setting of an environment, in the order in which `profile show` prints them. */
const ENVIRONMENT = {
  baseUrl: setting({
    schema: z.string(),
    parse: (value) => parseNewBaseUrl(value, 'base-url').href,
    show: (_, { url }) => url.href,
    column: { header: 'BASE URL', priority: 2 },
  }),
  credential: setting({
    schema: z.optional(
      z.looseObject({
        scheme,
        secret: z.string().check(z.minLength(1)),
        /** The only origin to which the secret is sent. */
        origin: z.string(),
      }),
    ),
    show: (stored, { credentialCommand }) => {
      if (credentialCommand !== undefined) return `command ${credentialCommand[0]}`;
      if (stored === undefined) return null;
      return `${stored.scheme} ${fingerprint(new Secret(stored.secret))} for ${stored.origin}`;
    },
    column: { header: 'CREDENTIAL', priority: 2 },
  }),
  credentialCommand: setting({
    schema: argv,
    doc: 'prints the key',
    parse: parseCommand,
  }),
  /** The only origin to which the secret that the command prints is sent. */
  credentialCommandOrigin: setting({ schema: text }),
  /** The kind of credential that `credentialCommand` prints (default `api-key`). */
  credentialScheme: setting({
    schema: z.optional(scheme),
    doc: 'api-key or bearer',
    values: scheme.options,
    parse: (value, key) =>
      chosen(scheme.options, value, `${key} must be api-key or bearer`, `${key}=bearer`),
  }),
  protected: setting({
    ...trueOrFalse,
    show: (value, { url }) => value ?? !url.isLoopback,
    column: { header: 'PROTECTED' },
  }),
  readOnly: setting({
    ...trueOrFalse,
    doc: 'refuse every write',
    show: (value = false) => value,
    column: { header: 'READ-ONLY' },
  }),
  listNames: setting({
    schema: text,
    doc: 'what the service calls its list parameters',
    parse: parseTypedNames,
    show: (value) => value ?? null,
    column: { header: 'LIST NAMES' },
  }),
  allowHttp: setting({
    ...trueOrFalse,
    show: (value) => value,
  }),
  /** How long the service may take to apply a request: `5s`. */
  settle: setting({
    schema: text,
    parse: parseTime,
    show: (value) => value,
  }),
  /** Requests at once of an import. */
  concurrency: setting({
    schema: z.optional(z.int().check(z.gte(1), z.lte(256))),
    doc: 'requests at once of an import, 1 to 256',
    parse: parseCount,
    show: (value) => value,
  }),
  ledger: setting({
    schema: text,
    doc: 'address of a shared ledger, without a password',
    parse: checkLedger,
    show: (value) => value,
  }),
  /** The most records that one command may create. */
  /** The absolute path of a PEM file. */
  caFile: setting({
    schema: text,
    doc: 'certificate authorities to trust too',
    parse: absolutePath,
    show: (value) => value,
  }),
  /** The only origin for which the authorities of `caFile` are trusted. */
  caFileOrigin: setting({
    schema: text,
  }),
};

export type EnvironmentKey = keyof typeof ENVIRONMENT;

export const ENVIRONMENT_KEYS = Object.keys(ENVIRONMENT) as readonly EnvironmentKey[];

/** The same rows, for code that treats them alike. */
export const SETTINGS: Readonly<Record<EnvironmentKey, Setting<z.core.$ZodType>>> = ENVIRONMENT;

/** Accepts `base-url`, `baseUrl` and `base_url` alike. */
export function plainKey(key: string): string {
  return key.replace(/[-_]/g, '').toLowerCase();
}

type Schemas = { [K in EnvironmentKey]: (typeof ENVIRONMENT)[K]['schema'] };
const environmentSchema = Object.fromEntries(
  ENVIRONMENT_KEYS.map((key) => [key, ENVIRONMENT[key].schema]),
) as unknown as Schemas;

// Loose, so that settings of a newer version are kept.
const profileSchema = z.looseObject({
  environments: z.record(z.string(), z.looseObject(environmentSchema)),
  defaultEnvironment: z.optional(z.string()),
});

export const CONFIG = z.looseObject({
  /** The current one. */
  profile: text,
  profiles: z.optional(z.record(z.string(), profileSchema)),
});

export type Config = z.infer<typeof CONFIG>;
export type ProfileSettings = z.infer<typeof profileSchema>;
export type EnvironmentSettings = ProfileSettings['environments'][string];

function chosen<const T extends string>(
  values: readonly T[],
  value: string,
  problem: string,
  example: string,
): T {
  const found = values.find((one) => one === value);
  if (found === undefined) throw usage(problem, `Example: ${example}`);
  return found;
}

function absolutePath(value: string, _key: string, cwd: string): string {
  return resolve(cwd, value);
}

function parseCount(value: string, key: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw usage(`${key} must be a whole number, got ${show(value)}`, `Example: ${key}=100`);
}

function parseTime(value: string, key: string): string {
  if (readTimeLimit(value) !== undefined) return value;
  throw usage(`${key} must be a time, got ${show(value)}`, `Example: ${key}=5s`);
}

/** A usage error, because the user has just typed the names. */
function parseTypedNames(value: string, key: string): string {
  try {
    parseDialect(value, key);
    return value;
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    throw usage(thrown.message, thrown.hint);
  }
}

/** Parses a JSON array or plain words. Refuses shell syntax, because no shell interprets it. */
function parseCommand(value: string, key: string): string[] {
  const form = `Write it as a JSON array: ${key}='["pass", "show", "acme key"]'`;
  if (!value.startsWith('[')) {
    if (/["'`$|&;<>()*?\\]/.test(value)) {
      throw usage(`${key} runs without a shell, but contains shell syntax`, form);
    }
    return value.split(/\s+/);
  }
  let words: unknown;
  try {
    words = JSON.parse(value);
  } catch {
    throw usage(`${key} is not valid JSON`, form);
  }
  if (isArgv(words)) return words;
  throw usage(`${key} is not an array of strings`, form);
}

function isArgv(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string') && !!value[0];
}

function usage(message: string, hint: string | undefined): ProcError {
  return new ProcError('invalid_usage', message, { hint });
}
