import * as z from 'zod/mini';
import { ProcError } from '../../core/errors.ts';
import { ACCESS_LEVELS } from '../../core/service/access.ts';
import { JsonError, joinPath, locate, readJson } from '../../core/text/strict-json.ts';
import { SANDBOX_PROFILE } from './built-in.ts';
import { isName, NAME_RULE } from './names.ts';

// Loose, so that settings of a newer version are kept.
const environmentSettings = z.looseObject({
  baseUrl: z.string(),
  credential: z.optional(
    z.looseObject({
      scheme: z.enum(['api-key', 'bearer']),
      secret: z.string().check(z.minLength(1)),
      /** The only origin to which the secret is sent. */
      origin: z.string(),
    }),
  ),
  credentialCommand: z.optional(z.array(z.string()).check(z.minLength(1))),
  /** The only origin to which the secret that the command prints is sent. */
  credentialCommandOrigin: z.optional(z.string()),
  /** The kind of credential that `credentialCommand` prints (default `api-key`). */
  credentialScheme: z.optional(z.enum(['api-key', 'bearer'])),
  dialect: z.optional(z.string()),
  protected: z.optional(z.boolean()),
  access: z.optional(z.enum(ACCESS_LEVELS)),
  allowHttp: z.optional(z.boolean()),
  /** How long the service may take to apply a request: `5s`. */
  settle: z.optional(z.string()),
  /** Absolute paths of PEM files. */
  clientCert: z.optional(z.string()),
  clientKey: z.optional(z.string()),
  clientKeyPassphraseCommand: z.optional(z.array(z.string()).check(z.minLength(1))),
  /** The only origin to which the certificate is shown. */
  clientCertOrigin: z.optional(z.string()),
});

const profileSettings = z.looseObject({
  environments: z.record(z.string(), environmentSettings),
  defaultEnvironment: z.optional(z.string()),
});

const configShape = z.looseObject({
  profile: z.optional(z.string()),
  output: z.optional(z.string()),
  lang: z.optional(z.string()),
  profiles: z.optional(z.record(z.string(), profileSettings)),
});

export type EnvironmentSettings = z.infer<typeof environmentSettings>;
export type ProfileSettings = z.infer<typeof profileSettings>;
export type Config = z.infer<typeof configShape>;

/** Errors name file, line and key, but no value: a value may be a secret. */
export function parseConfig(text: string, path: string): Config {
  let data: unknown;
  try {
    data = readJson(text.replace(/^\uFEFF/, ''));
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    const problem = thrown.message.replace(/the number \S+/, 'this number');
    throw unreadable(path, problem);
  }
  const result = configShape.safeParse(data);
  if (!result.success) {
    const issue = result.error.issues[0]!;
    const key = issue.path.reduce<string>((p, part) => joinPath(p, part as string | number), '');
    throw unreadable(path, `${place(text, key)}${expected(issue)}`);
  }
  checkNames(data as Config, path);
  return result.data;
}

/** Checks the raw data, because zod silently drops a key named `__proto__`. */
function checkNames(data: Config, path: string): void {
  for (const [profile, settings] of Object.entries(data.profiles ?? {})) {
    for (const name of [profile, ...Object.keys(settings.environments)]) {
      if (!isName(name))
        throw unreadable(path, `${JSON.stringify(name)} is not a valid name: ${NAME_RULE}`);
    }
    if (profile === SANDBOX_PROFILE) {
      throw unreadable(
        path,
        `the profile "${SANDBOX_PROFILE}" is built in and cannot be configured`,
      );
    }
  }
}

function unreadable(path: string, problem: string): ProcError {
  return new ProcError('config_unreadable', `${path}: ${problem}`, {
    hint: 'Fix the file, or move it aside and start over. proc has not changed it.',
  });
}

function place(text: string, key: string): string {
  if (key === '') return 'the file ';
  const at = locate(text.replace(/^\uFEFF/, ''), key);
  return at === undefined ? `${key} ` : `line ${at.line}: ${key} `;
}

function expected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `must be of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'too_small') return 'must not be empty';
  return 'is invalid';
}
