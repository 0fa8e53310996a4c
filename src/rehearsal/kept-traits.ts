import { join } from 'node:path';
import * as z from 'zod/mini';
import { messageOf, ProcError, systemCode } from '../core/errors.ts';
import type { Env, Ports } from '../core/ports.ts';
import { isChangeName } from '../core/service/code-change.ts';
import type { Target } from '../core/service-target.ts';
import { openSettings } from '../settings/read/open-settings.ts';
import { stateDir } from '../settings/read/paths.ts';
import { createFolder } from '../store/folder.ts';
import { readRegularFile } from '../store/regular-file.ts';
import { PRIVATE, writeWholeFile } from '../store/whole-file.ts';

const change = z.object({
  name: z.string().check(z.refine(isChangeName)),
  prefix: z.optional(z.string()),
});

/** What a second create got that was the same as an earlier one, or almost the same. */
const second = z.object({
  result: z.enum(['created', 'refused', 'same id', 'unknown']),
  status: z.nullable(z.number()),
  message: z.nullable(z.string()),
});

const answer = z.object({
  fields: z.array(z.string()),
  id: z.enum(['text', 'number', 'unknown']),
});

const deleted = z.object({
  status: z.nullable(z.number()),
  /** Null if nothing was deleted, or if a read could not tell. */
  gone: z.nullable(z.boolean()),
});

/** What a rehearsal has found out about an environment. This is what doctor prints and what is stored. */
const TRAITS = z.object({
  profile: z.string(),
  environment: z.string(),
  baseUrl: z.string(),
  /** ISO time. */
  at: z.string(),
  codes: z.object({
    /** Null: codes are stored as sent, or their change is unknown. */
    change: z.nullable(change),
    /** False: codes are changed in a way that proc cannot tell, or none was stored. */
    isKnown: z.boolean(),
    case: z.string(),
    spaces: z.string(),
    dashes: z.string(),
    zeros: z.string(),
    form: z.string(),
    longest: z.object({
      sent: z.number(),
      result: z.enum(['kept', 'cut', 'refused', 'unknown']),
      /** The characters that were kept of a longer code. */
      to: z.nullable(z.number()),
    }),
    samples: z.array(z.object({ sent: z.string(), stored: z.string() })),
  }),
  second: z.object({
    items: second,
    itemsInOtherCase: second,
    itemsInOtherForm: second,
    imputations: second,
  }),
  answers: z.object({
    items: z.extend(answer, {
      /** Which code an answer has. `stored` also if both are the same. */
      code: z.enum(['stored', 'sent', 'absent', 'unknown']),
    }),
    requisitions: answer,
    imputations: answer,
  }),
  list: z.object({
    /** How long after its create a list showed a record. Null if it never did. */
    lagMs: z.nullable(z.number()),
    /** Where an unsorted list shows a new record. */
    order: z.enum(['first', 'last', 'elsewhere', 'unknown']),
  }),
  deletes: z.object({ lines: deleted, groups: deleted }),
  parameters: z.object({
    empty: z.enum(['refused', 'ignored', 'zero', 'unknown']),
    repeated: z.enum(['refused', 'first', 'last', 'ignored', 'unknown']),
  }),
  /** The records that stay. */
  left: z.array(z.object({ noun: z.string(), id: z.string(), name: z.string() })),
});

export type Traits = z.infer<typeof TRAITS>;
export type Second = z.infer<typeof second>;

/** That an environment does not behave as another environment did in a rehearsal. */
const CONTRADICTION = z.object({ environment: z.string(), at: z.string(), why: z.string() });

type Place = Pick<Target, 'profile' | 'environment' | 'baseUrl'>;

/** @throws ProcError `state_unwritable` */
export function keepTraits(env: Env, traits: Traits): void {
  write(env, traits, 'traits', TRAITS.parse(traits));
}

/**
 * Notes that an answer of this environment contradicts a rehearsal, so that its next writes do not rely on it.
 *
 * @throws ProcError `state_unwritable`
 */
export function keepContradiction(
  env: Env,
  place: Place,
  { environment, at }: Pick<Traits, 'environment' | 'at'>,
  why: string,
) {
  if (place.profile === undefined || place.environment === undefined) return;
  write(env, { profile: place.profile, environment: place.environment }, 'contradiction', {
    environment,
    at,
    why,
  });
}

/**
 * The traits of the environment, or else those of the environment of its profile that was rehearsed last. Traits do
 * not count if they were found at another address, or if an answer has contradicted them.
 */
export async function rehearsedFor({
  api,
  self,
}: Ports<'api' | 'self'>): Promise<Traits | undefined> {
  const { profile, environment, baseUrl } = await api.target();
  if (profile === undefined || environment === undefined) return undefined;
  const { env } = self;
  const contradicted = read(env, { profile, environment }, 'contradiction', CONTRADICTION);
  const holds = ({ environment: where, at }: Traits) =>
    contradicted?.environment !== where || contradicted.at !== at;
  const own = read(env, { profile, environment }, 'traits', TRAITS);
  if (own?.baseUrl === baseUrl && holds(own)) return own;
  const environments = openSettings(self).config().profiles?.[profile]?.environments ?? {};
  const [newest] = Object.entries(environments)
    .flatMap(([name, settings]) => {
      const traits = read(env, { profile, environment: name }, 'traits', TRAITS);
      return traits?.baseUrl === settings.baseUrl && holds(traits) ? [traits] : [];
    })
    .toSorted((a, b) => b.at.localeCompare(a.at));
  return newest;
}

/** What contradicted the traits of this environment, or those that it took over. */
export function contradictionOf(env: Env, { profile, environment }: Place) {
  return profile === undefined || environment === undefined
    ? undefined
    : read(env, { profile, environment }, 'contradiction', CONTRADICTION);
}

type Named = Pick<Traits, 'profile' | 'environment'>;
type Kind = 'traits' | 'contradiction';

function folderOf(env: Env, { profile, environment }: Named): string {
  return join(stateDir(env), 'rehearsals', profile, environment);
}

function write(env: Env, named: Named, kind: Kind, value: unknown): void {
  const folder = folderOf(env, named);
  const file = join(folder, `${kind}.json`);
  try {
    createFolder(folder);
    writeWholeFile(file, `${JSON.stringify(value, null, 2)}\n`, PRIVATE);
  } catch (thrown) {
    throw new ProcError('state_unwritable', `cannot write ${file}: ${messageOf(thrown)}`, {
      hint: 'Set PROC_STATE_DIR to a folder that you may write to',
      cause: thrown,
    });
  }
}

/** @throws ProcError `config_unreadable` for a file that has been changed */
function read<S extends z.ZodMiniType>(
  env: Env,
  place: Named,
  kind: Kind,
  schema: S,
): z.output<S> | undefined {
  const file = join(folderOf(env, place), `${kind}.json`);
  let text: string;
  try {
    text = readRegularFile(file).text;
  } catch (thrown) {
    // Below a file there is no folder: whoever writes there says so.
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(thrown) ?? '')) return undefined;
    throw unreadable(file, messageOf(thrown), thrown);
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (thrown) {
    throw unreadable(file, 'it is not what proc wrote', thrown);
  }
}

function unreadable(file: string, why: string, cause: unknown): ProcError {
  return new ProcError('config_unreadable', `cannot read ${file}: ${why}`, {
    hint: `Delete the file, and rehearse again: proc doctor --rehearse`,
    cause,
  });
}
