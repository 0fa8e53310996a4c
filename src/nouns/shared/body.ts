import type { Context } from '../../context.ts';
import { type BodyOf, type EndpointSpec, nounOf } from '../../core/endpoint.ts';
import { ProcError } from '../../core/errors.ts';
import { kebab } from '../../core/text/kebab.ts';
import { type Checked, check, moreProblems } from '../../core/validate.ts';
import type { Payload } from './read-payload.ts';
import { bodyFlags, flagKey } from './write-flags.ts';

interface BodySource {
  readonly file?: string | undefined;
  /** Fields given as flags, by contract name. They replace fields of the file. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Messages for missing fields that have no flag. Not used with a file. */
  readonly missing?: Readonly<Record<string, string>>;
  /** Adds what flags cannot express (groups and lines), before the body is checked. */
  readonly amend?: (
    whole: Readonly<Record<string, unknown>>,
  ) => Promise<Readonly<Record<string, unknown>>>;
}

export interface Body<E extends EndpointSpec> {
  readonly value: BodyOf<E>;
  /** How messages name a field: by its flag, or by its place in the file. */
  place(field: string): string;
}

/**
 * Builds the body of a write and checks it against the contract. Flags replace fields of the file.
 *
 * @throws ProcError `invalid_input`, before anything is sent
 */
export async function readBody<E extends EndpointSpec>(
  ctx: Context,
  spec: E,
  source: BodySource,
): Promise<Body<E>> {
  const payload =
    source.file === undefined
      ? undefined
      : await (await import('./read-payload.ts')).payloadIn(ctx, source.file, ifMany(spec));
  const fromFile = payload?.value ?? {};
  const place = placer(spec, source, payload);
  // A spread keeps a field named `__proto__`, so that proc can warn about the field.
  const own: Readonly<Record<string, unknown>> = { ...fromFile, ...source.fields };
  const whole = source.amend === undefined ? own : await source.amend(own);
  const checked = check(spec.body!, whole);
  reportUnknown(checked, place, ctx);
  if (checked.issues.length > 0) {
    throw invalid(checked, place, payload === undefined ? (source.missing ?? {}) : {});
  }
  return { value: checked.value as BodyOf<E>, place };
}

/**
 * The hint for a file that has several records, or is too large. Every noun that has `create` also has
 * `import`.
 */
function ifMany(spec: EndpointSpec): string | undefined {
  return spec.id.endsWith('.create')
    ? `To create many: proc ${nounOf(spec)} import FILE`
    : undefined;
}

/** Names a field in messages, e.g. `--quantity` or `f.json: groups[0].items[2].quantity`. */
function placer(
  spec: EndpointSpec,
  source: BodySource,
  payload: Payload | undefined,
): (field: string) => string {
  return (field) => {
    const key = flagKey(field);
    const isFlag = payload === undefined && Object.hasOwn(bodyFlags(spec), key);
    if (isFlag || Object.hasOwn(source.fields, field)) return `--${kebab(key)}`;
    if (payload === undefined) return `"${field}"`;
    return `${payload.place}: ${field === '' ? 'the body' : field}`;
  };
}

function reportUnknown(
  checked: Checked<unknown>,
  place: (field: string) => string,
  ctx: Context,
): void {
  for (const { field, near } of checked.unknown) {
    const meant = near === undefined ? '' : `; did you mean ${near}?`;
    ctx.io.say({
      kind: 'warning',
      text: `${place(field)} is not a field of the contract: it is not sent${meant}`,
    });
  }
}

function invalid(
  checked: Checked<unknown>,
  place: (field: string) => string,
  missing: Readonly<Record<string, string>>,
): ProcError {
  const lines = checked.issues.map(({ field, message }) =>
    Object.hasOwn(missing, field) && message.startsWith('is required')
      ? missing[field]!
      : `${place(field)} ${message}`,
  );
  const more = moreProblems(lines.length);
  return new ProcError('invalid_input', `${lines[0]}${more}`, {
    hint: 'Correct the input and run the command again. Nothing was sent.',
    details: {
      issues: checked.issues.map(({ field, message }, index) => {
        return { field, message, place: lines[index] };
      }),
    },
  });
}
