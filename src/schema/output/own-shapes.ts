import * as z from 'zod/mini';
import { TRAITS } from '../../rehearsal/kept-traits.ts';
import { SHOWN_SETTINGS } from '../../settings/keys.ts';
import {
  anyValue,
  either,
  list,
  maybe,
  nextSteps,
  noJson,
  numberOrNull,
  record,
  type Shapes,
  shape,
  textOrNull,
} from './shape.ts';

const entry = {
  id: z.string(),
  at: z.string(),
  state: z.string(),
  noun: z.string(),
  what: z.string(),
  created: textOrNull,
  method: z.string(),
  path: z.string(),
  status: numberOrNull,
  message: textOrNull,
  profile: textOrNull,
  environment: textOrNull,
  baseUrl: z.string(),
  organization: textOrNull,
  actor: textOrNull,
  user: textOrNull,
  host: textOrNull,
  job: textOrNull,
};

const wholeEntry = z.looseObject({
  ...entry,
  version: textOrNull,
  endpoint: z.string(),
  requestId: textOrNull,
  endedAt: textOrNull,
  resolvedAt: textOrNull,
  payload: anyValue,
  before: anyValue,
  response: anyValue,
});

const environment = { environment: z.string(), ...SHOWN_SETTINGS };

const oneEnvironment = z.looseObject({ profile: z.string(), ...environment });

const setting = z.looseObject({
  key: z.string(),
  value: anyValue,
  origin: z.string(),
  place: textOrNull,
});

const FLAG = z.looseObject({
  flag: z.string(),
  short: maybe(z.string()),
  type: z.enum(['boolean', 'string', 'strings', 'choice', 'integer', 'number', 'duration']),
  value: maybe(z.string()),
  repeatable: z.boolean(),
  required: z.boolean(),
  choices: maybe(z.array(z.string())),
  min: maybe(z.number()),
  max: maybe(z.number()),
  default: maybe(z.string()),
  doc: z.string(),
});

const COMMAND_LIST = z.looseObject({
  version: z.string(),
  commands: z.array(
    z.looseObject({
      command: z.string(),
      summary: z.string(),
      description: maybe(z.string()),
      changes: z.enum(['nothing', 'service', 'local']),
      prints: z.string(),
      args: z.array(
        z.looseObject({
          name: z.string(),
          required: z.boolean(),
          variadic: z.boolean(),
          choices: maybe(z.array(z.string())),
          doc: z.string(),
        }),
      ),
      flags: z.array(FLAG),
      exitCodes: z.array(z.number()),
      errorCodes: z.array(z.string()),
      examples: z.array(z.looseObject({ run: z.string(), doc: z.string() })),
    }),
  ),
  flags: z.array(FLAG),
  aliases: z.record(z.string(), z.string()),
  topics: z.record(z.string(), z.string()),
  exitCodes: z.array(z.looseObject({ exitCode: z.number(), meaning: z.string() })),
  errorCodes: z.array(
    z.looseObject({
      code: z.string(),
      exitCode: z.number(),
      retry: z.string(),
      meaning: z.string(),
    }),
  ),
});

export const OWN_SHAPES: Shapes = {
  'history list': list(z.looseObject(entry)),
  'history show': record(wholeEntry),
  'history export': list(wholeEntry),
  'history undo': record(z.looseObject({}), 'The record as the service returns it.'),
  'history resolve': record(
    z.extend(wholeEntry, { wouldResolve: maybe(z.looseObject({})) }),
    'With --dry-run "wouldResolve" says what would be recorded.',
  ),
  'history prune': either(
    'What was removed; with --dry-run what would be removed.',
    z.looseObject({ removed: z.number(), kept: z.number(), olderThan: z.string() }),
    z.looseObject({ wouldRemove: z.number(), kept: z.number(), olderThan: z.string() }),
  ),
  setup: record(z.looseObject({ profile: z.string(), environments: z.array(z.string()) })),
  'profile list': list(
    z.looseObject({
      profile: z.string(),
      current: z.boolean(),
      environments: z.array(z.string()),
      defaultEnvironment: textOrNull,
    }),
  ),
  'profile show': list(z.looseObject(environment)),
  'profile add': record(oneEnvironment),
  'profile set': record(oneEnvironment),
  'profile copy': record(
    z.looseObject({
      profile: z.string(),
      copiedFrom: z.string(),
      environments: z.array(z.string()),
    }),
  ),
  'profile use': record(z.looseObject({ profile: z.string(), defaultEnvironment: textOrNull })),
  'profile remove': record(
    z.looseObject({ profile: z.string(), environment: textOrNull, removed: z.boolean() }),
  ),
  'auth login': record(
    z.looseObject({
      profile: z.string(),
      environment: z.string(),
      origin: z.string(),
      scheme: z.string(),
      fingerprint: z.string(),
      store: z.string(),
    }),
    'Nothing if no key was stored.',
  ),
  'auth logout': record(
    z.looseObject({ profile: z.string(), environment: z.string(), removed: z.boolean() }),
  ),
  'auth status': record(
    z.looseObject({
      profile: textOrNull,
      environment: textOrNull,
      baseUrl: z.string(),
      protected: z.boolean(),
      access: z.string(),
      scheme: textOrNull,
      fingerprint: textOrNull,
      store: z.string(),
      from: z.string(),
      check: z.string(),
    }),
  ),
  'config list': list(setting),
  'config get': record(setting),
  'config set': record(z.looseObject({ key: z.string(), value: anyValue })),
  'config unset': record(z.looseObject({ key: z.string(), value: z.null() })),
  'imports export': noJson('Text: lines of JSON, for imports receive.'),
  'config path': noJson('Text: the path of the configuration file.'),
  'sandbox start': record(
    z.looseObject({
      url: z.string(),
      key: maybe(z.string()),
      secondKey: maybe(z.string()),
      port: z.number(),
      pid: maybe(z.number()),
      db: maybe(textOrNull),
      samples: maybe(z.looseObject({})),
    }),
    'With --dry-run only what is known before the start.',
  ),
  'sandbox stop': record(
    z.looseObject({
      stopped: z.boolean(),
      reason: maybe(z.string()),
      url: maybe(z.string()),
      pid: maybe(z.number()),
    }),
  ),
  status: record(
    z.looseObject({
      profile: textOrNull,
      environment: textOrNull,
      baseUrl: z.string(),
      orders: z.nullable(
        z.looseObject({
          count: z.number(),
          since: textOrNull,
          new: numberOrNull,
          changed: numberOrNull,
          gone: numberOrNull,
          changes: z.array(z.looseObject({ change: z.string(), id: textOrNull, code: textOrNull })),
          days: z.number(),
          statuses: z.record(z.string(), z.number()),
          undated: z.number(),
        }),
      ),
      unconfirmed: z.nullable(
        z.array(z.looseObject({ id: z.string(), at: z.string(), what: z.string() })),
      ),
      imports: z.nullable(
        z.array(
          z.looseObject({
            run: z.string(),
            state: z.string(),
            source: textOrNull,
            next: nextSteps,
          }),
        ),
      ),
      drafts: z.nullable(
        z.array(z.looseObject({ id: z.string(), title: textOrNull, updated: z.string() })),
      ),
      problems: z.array(z.looseObject({ part: z.string(), code: z.string(), message: z.string() })),
      next: nextSteps,
    }),
    'What could not be read is null, and problems says why. since: when the last proc status --seen ended. statuses: how many orders of the last days, or without a date, have each status.',
  ),
  'sandbox status': record(
    z.looseObject({
      running: z.boolean(),
      url: maybe(z.string()),
      pid: maybe(z.number()),
      port: maybe(z.number()),
      db: maybe(textOrNull),
      key: maybe(z.string()),
    }),
  ),
  'sandbox reset': record(
    z.looseObject({ reset: z.literal(true), db: z.string(), empty: z.boolean() }),
  ),
  'sandbox exec': noJson('What the given command prints, unchanged.'),
  api: shape(
    [
      { many: false, schema: z.looseObject({}) },
      { many: true, schema: z.looseObject({}) },
    ],
    'The response with -o json. Without it, the response byte for byte.',
  ),
  schema: shape(
    [
      {
        many: true,
        schema: z.looseObject({
          command: z.string(),
          sends: maybe(z.string()),
          prints: maybe(z.string()),
          summary: z.string(),
        }),
      },
      { many: false, schema: COMMAND_LIST },
      { many: false, schema: z.looseObject({}) },
    ],
    'Without a command, the list of commands. With one, any JSON Schema; with --openapi, an OpenAPI document; with --commands, every command of proc.',
  ),
  doctor: list(
    z.looseObject({
      check: z.string(),
      status: z.string(),
      finding: z.string(),
      hint: textOrNull,
      next: nextSteps,
      evidence: z.array(z.string()),
      exitCode: numberOrNull,
      certificates: maybe(
        z.array(
          z.looseObject({
            subject: z.string(),
            issuer: z.string(),
            validFrom: z.string(),
            validTo: z.string(),
            daysLeft: z.number(),
            fingerprint: z.string(),
          }),
        ),
      ),
      traits: maybe(TRAITS),
    }),
  ),
  completion: noJson('Text: the completion script of a shell.'),
  'completion install': record(
    z.looseObject({
      shell: z.string(),
      changed: z.boolean(),
      writes: z.array(z.looseObject({ file: z.string(), what: z.string() })),
    }),
  ),
  version: record(
    z.looseObject({
      version: z.string(),
      node: z.string(),
      platform: z.string(),
      arch: z.string(),
      contract: z.string(),
    }),
  ),
};

export const LINE_SHAPES: Shapes = {
  errors: record(
    z.looseObject({
      error: z.looseObject({
        code: z.string(),
        message: z.string(),
        hint: maybe(textOrNull),
        status: maybe(numberOrNull),
        requestId: maybe(textOrNull),
        exitCode: z.number(),
        retry: z.enum(['now', 'later', 'after-check', 'never']),
        details: maybe(anyValue),
      }),
    }),
    'A line of stderr: one for each failure.',
  ),
  warnings: record(z.looseObject({ warning: z.string() }), 'A line of stderr.'),
  notices: record(z.looseObject({ notice: z.string() }), 'A line of stderr.'),
  progress: record(
    z.looseObject({ progress: z.looseObject({}) }),
    'A line of stderr. Its fields depend on the command.',
  ),
  http: record(
    z.looseObject({ http: z.looseObject({ method: z.string() }) }),
    'A line of stderr with --verbose: one for each attempt.',
  ),
  requests: record(
    z.looseObject({
      dryRun: z.literal(true),
      method: z.string(),
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      body: anyValue,
    }),
    'What --dry-run prints, for a command that sends a request.',
  ),
};
