import { closeSync, constants, createReadStream, fstatSync, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import { versions } from 'node:process';
import type { Readable } from 'node:stream';
import type { Context } from '../../context.ts';
import type { FlagSpec, FlagSpecs } from '../../core/command-spec.ts';
import { type BodyOf, type EndpointSpec, nounOf } from '../../core/endpoint.ts';
import { ProcError, unreadable } from '../../core/errors.ts';
import { isObject, JsonError, readJson } from '../../core/json.ts';
import { type Checked, check, moreProblems, show } from '../../core/validate.ts';
import { kebab } from '../../core/wording.ts';

export const FILE_FLAG = {
  file: {
    kind: 'string',
    value: 'file',
    short: 'f',
    doc: 'read the body from a JSON file (- for stdin); flags override it',
  },
} as const satisfies FlagSpecs;

const LONGEST = 255;

export const ONCE_FLAG = {
  once: {
    kind: 'string',
    value: 'key',
    doc: 'create at most once with this key, which never expires; run again, it prints the first result',
  },
} as const satisfies FlagSpecs;

/** @throws ProcError `invalid_usage` */
export function onceKey({ once }: { readonly once?: string | undefined }): string | undefined {
  if (once === undefined) return undefined;
  if (once.length > LONGEST || /\p{C}/u.test(once)) {
    throw new ProcError(
      'invalid_usage',
      `--once: expected at most ${LONGEST} characters, without control characters`,
      { hint: 'Use e.g. --once inv-77, or --once "$(uuidgen)" kept beside the job' },
    );
  }
  return once.normalize('NFC');
}

interface FieldDef {
  readonly type: string;
  readonly format?: string;
  readonly innerType?: { readonly _zod: { readonly def: FieldDef } };
}

/** The name of a field without a trailing `Id`: `order` for `orderId`. */
function flagKey(field: string): string {
  return field.endsWith('Id') && field.length > 2 ? field.slice(0, -2) : field;
}

/**
 * A flag for each scalar field of an endpoint's body. Flags of nested fields are written by hand.
 */
export function bodyFlags(spec: EndpointSpec): FlagSpecs {
  const flags: Record<string, FlagSpec> = {};
  for (const [field, kind] of scalarsOf(spec)) {
    const doc = spec.fields?.[field] ?? field;
    // Of a patch, an empty string clears the field. Of a create, it comes from an unset shell variable.
    flags[flagKey(field)] = {
      kind,
      doc,
      value: kind === 'string' ? 'text' : 'n',
      mayBeEmpty: spec.method === 'PATCH',
    };
  }
  return flags;
}

export function bodyFields(
  spec: EndpointSpec,
  flags: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [field] of scalarsOf(spec)) {
    const value = flags[flagKey(field)];
    if (value !== undefined) fields[field] = value;
  }
  return fields;
}

function scalarsOf({ body }: EndpointSpec) {
  return Object.entries(body?._zod.def.shape ?? {}).flatMap(([field, schema]) => {
    const kind = scalarKind(schema._zod.def as unknown as FieldDef);
    return kind === undefined ? [] : [[field, kind] as const];
  });
}

function scalarKind(def: FieldDef): 'string' | 'number' | 'integer' | undefined {
  if (def.innerType !== undefined) return scalarKind(def.innerType._zod.def);
  if (def.type === 'string') return 'string';
  if (def.type === 'number') return def.format === 'safeint' ? 'integer' : 'number';
  return undefined;
}

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

interface Payload {
  /** For messages: the name of the file, or `standard input`. */
  readonly place: string;
  readonly value: Readonly<Record<string, unknown>>;
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
    source.file === undefined ? undefined : await payloadIn(ctx, source.file, ifMany(spec));
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

/** The one object of a payload file, without `$schema`, which is for editors. */
async function payloadIn(ctx: Context, file: string, many: string | undefined): Promise<Payload> {
  const place = placeOf(file);
  const text = await readText(ctx, file, many);
  if (text === '')
    throw new ProcError('invalid_input', `${place} is empty, expected a JSON object`);
  let value: unknown;
  try {
    value = readJson(text);
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    throw new ProcError('invalid_input', `${place}, ${thrown.message}`, {
      hint: 'The file must be one JSON object.',
      details: { file: place, line: thrown.line, column: thrown.column },
    });
  }
  if (!isObject(value)) {
    const one = ['This command sends one record', many ?? []].flat().join('. ');
    throw new ProcError('invalid_input', `${place}: expected a JSON object, got ${show(value)}`, {
      hint: Array.isArray(value) ? one : undefined,
    });
  }
  const { $schema: _, ...rest } = value;
  return { place, value: rest };
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

/** Payloads are read into memory. Imports stream and have no limit. */
const MAX_BYTES = 16 << 20;

/**
 * Reads a small file, or standard input for `-`, as text. Accepts UTF-8, and UTF-16 with a byte order mark.
 *
 * @param ifTooLarge the hint of the error for a file that is too large
 */
export async function readText(ctx: Context, file: string, ifTooLarge?: string): Promise<string> {
  const { cwd, signal, io } = ctx;
  // A pipe without a writer never ends, so a signal must end the read.
  const reading = bytesOf(file, () => (file === '-' ? io.streams.stdin : openStream(file, cwd)));
  const bytes = await untilAborted(reading, signal);
  if (bytes.length > MAX_BYTES) {
    const message = `${placeOf(file)} is larger than 16 MiB, which is the limit`;
    throw new ProcError('invalid_input', message, { hint: ifTooLarge });
  }
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE();
  const encoding = mark === 0xff_fe ? 'utf-16le' : mark === 0xfe_ff ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Said below.
  }
  throw new ProcError('invalid_input', `${placeOf(file)} is not ${encoding.toUpperCase()} text`, {
    hint: 'Save it as UTF-8.',
  });
}

function placeOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

async function bytesOf(file: string, open: () => Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of open() as AsyncIterable<Buffer | string>) {
      chunks.push(Buffer.from(chunk));
      size += chunk.length;
      if (size > MAX_BYTES) break;
    }
  } catch (thrown) {
    if (thrown instanceof ProcError || file === '-') throw thrown;
    throw unreadable(file, thrown);
  }
  return Buffer.concat(chunks);
}

/**
 * A named pipe is read as a socket. A file stream would block a thread until somebody writes;
 * until then, the process could not end. A socket of bun, in the single executable, ends too early; its file streams
 * do not keep the process from ending.
 */
function openStream(file: string, cwd: string): Readable {
  const path = resolve(cwd, file);
  if ('bun' in versions && statSync(path).isFIFO()) return createReadStream(path);
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stats = fstatSync(fd);
  if (stats.isFIFO()) return new Socket({ fd, readable: true, writable: false });
  if (!stats.isDirectory()) return createReadStream('', { fd });
  closeSync(fd);
  throw new ProcError('invalid_input', `${file} is a directory, expected a file`);
}

/** Waits for a promise, but only until the signal aborts; then throws the signal's reason. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
