import * as z from 'zod/mini';
import {
  anyValue,
  either,
  list,
  maybe,
  nextSteps,
  numberOrNull,
  record,
  type Shapes,
  textOrNull,
} from './shape.ts';

const counts = {
  counts: maybe(z.literal('requisitions')),
  rows: z.number(),
  filtered: maybe(z.number()),
  created: z.number(),
  existing: z.number(),
  duplicates: z.number(),
  dropped: z.number(),
  rejected: z.number(),
  unconfirmed: z.number(),
  pending: z.number(),
  repaired: maybe(z.number()),
};

const named = z.looseObject({ row: z.number(), code: textOrNull });

const summary = z.looseObject({
  run: z.string(),
  source: z.string(),
  ...counts,
  catalogue: maybe(z.string()),
  verified: maybe(z.boolean()),
  createdTwice: maybe(z.number()),
  createdNotListed: maybe(z.number()),
  rejectedButListed: maybe(z.array(z.object({ code: z.string(), id: z.string() }))),
  codesChanged: maybe(
    z.object({
      name: z.string(),
      prefix: maybe(z.string()),
      sent: z.string(),
      stored: z.string(),
    }),
  ),
  seconds: z.number(),
  unguarded: maybe(z.number()),
  fileProblem: maybe(z.string()),
  planFile: maybe(z.string()),
  rejectedFile: maybe(z.string()),
  resultsFile: maybe(z.string()),
  unconfirmedRows: maybe(z.array(z.extend(named, { reason: textOrNull }))),
  stopped: maybe(z.string()),
  resume: maybe(z.string()),
  next: nextSteps,
});

const planned = {
  source: z.string(),
  counts: maybe(z.literal('requisitions')),
  rows: z.number(),
  filtered: maybe(z.number()),
  create: z.number(),
  existing: z.number(),
  duplicates: z.number(),
  invalid: z.number(),
  catalogue: maybe(z.string()),
  inList: maybe(z.object({ codes: z.number(), rows: z.number() })),
  rehearsed: maybe(
    z.looseObject({
      environment: z.string(),
      at: z.string(),
      says: z.string(),
      codesChange: maybe(z.nullable(z.object({ name: z.string(), prefix: maybe(z.string()) }))),
      codesKnown: maybe(z.boolean()),
      second: z.string(),
      lagMs: maybe(numberOrNull),
    }),
  ),
  samples: z.looseObject({
    create: z.array(z.looseObject({})),
    existing: z.array(z.looseObject({})),
    duplicates: z.array(z.looseObject({})),
    invalid: z.array(z.looseObject({})),
    unconfirmed: maybe(z.array(z.looseObject({}))),
    rows: z.array(
      z.looseObject({
        row: z.number(),
        line: numberOrNull,
        shows: z.array(z.string()),
        values: z.looseObject({}),
        lines: maybe(z.number()),
      }),
    ),
    fields: z.array(
      z.looseObject({
        field: z.string(),
        filled: z.number(),
        distinct: z.number(),
        isAtLeast: maybe(z.boolean()),
        shortest: anyValue,
        longest: anyValue,
        frequent: maybe(z.object({ value: anyValue, count: z.number() })),
        sample: anyValue,
      }),
    ),
  }),
  warnings: maybe(
    z.array(
      z.looseObject({
        kind: z.string(),
        field: maybe(z.string()),
        count: z.number(),
        message: z.string(),
      }),
    ),
  ),
};

const plan = z.looseObject({
  dryRun: z.literal(true),
  ...planned,
  refused: maybe(z.string()),
  next: maybe(nextSteps),
  mapping: anyValue,
});

const staged = z.looseObject({
  run: z.string(),
  state: z.literal('staged'),
  ...planned,
  digest: z.string(),
  next: nextSteps,
});

const template = z.looseObject({
  template: z.string(),
  columns: z.array(z.string()),
  required: z.array(z.string()),
  requiredOneOf: z.optional(z.array(z.array(z.string()))),
  example: z.looseObject({}),
  next: nextSteps,
});

const bulk = either(
  'The summary of a run; with --dry-run the plan; with --stage the saved plan; with --template the file that was written.',
  summary,
  plan,
  staged,
  template,
);

const run = {
  run: z.string(),
  state: z.enum(['staged', 'unfinished', 'unconfirmed', 'finished']),
  noun: z.string(),
  source: z.string(),
  profile: textOrNull,
  environment: textOrNull,
  baseUrl: z.string(),
  organization: textOrNull,
  startedAt: z.string(),
  ...counts,
  sending: maybe(z.number()),
  process: maybe(z.number()),
  runningSince: maybe(textOrNull),
  next: maybe(nextSteps),
};

const details = {
  bytes: numberOrNull,
  hash: textOrNull,
  stagedAt: maybe(z.string()),
  importer: maybe(
    z.looseObject({
      actor: z.string(),
      user: z.string(),
      host: z.string(),
      job: maybe(z.string()),
    }),
  ),
  digest: maybe(z.string()),
  statement: maybe(z.string()),
  mapping: anyValue,
  choices: anyValue,
  rejectedFile: textOrNull,
  resultsFile: textOrNull,
};

export const IMPORT_SHAPES: Shapes = {
  'items import': bulk,
  'imputations import': bulk,
  'requisition import': bulk,
  'imports list': list(
    z.partial(z.looseObject(run), {
      state: true,
      noun: true,
      source: true,
      profile: true,
      environment: true,
      baseUrl: true,
      organization: true,
      startedAt: true,
      rows: true,
      created: true,
      existing: true,
      duplicates: true,
      dropped: true,
      rejected: true,
      unconfirmed: true,
      pending: true,
    }),
    'A run that cannot be read has only some of the fields.',
  ),
  'imports show': record(z.looseObject({ ...run, ...details })),
  'imports report': record(
    z.looseObject({
      ...run,
      ...details,
      parked: z.number(),
      firstSentAt: textOrNull,
      finishedAt: textOrNull,
      seconds: numberOrNull,
      actor: textOrNull,
      user: textOrNull,
      host: textOrNull,
      job: textOrNull,
      version: textOrNull,
      steps: z.array(z.looseObject({ what: z.string(), rows: z.number(), command: z.string() })),
      warnings: z.array(z.looseObject({ kind: z.string(), message: z.string() })),
      reasons: z.array(
        z.looseObject({
          reason: textOrNull,
          rows: z.number(),
          examples: z.array(
            z.extend(named, {
              line: numberOrNull,
              name: textOrNull,
              reason: z.string(),
              status: numberOrNull,
              cells: z.array(z.looseObject({ column: z.string(), value: z.string() })),
            }),
          ),
        }),
      ),
      rate: z.array(z.looseObject({ at: z.string(), rows: z.number(), perSecond: z.number() })),
    }),
    'The figures of the report. Without -o json it prints Markdown.',
  ),
  'imports rows': list(
    z.looseObject({
      row: z.number(),
      line: numberOrNull,
      state: z.string(),
      code: textOrNull,
      name: textOrNull,
      id: textOrNull,
      status: numberOrNull,
      reason: textOrNull,
      findings: textOrNull,
      sentAt: textOrNull,
      record: anyValue,
    }),
  ),
  'imports send': either(
    'The summary of the run; with --dry-run what is left to do.',
    summary,
    z.looseObject({ run: z.string() }),
  ),
  'imports resume': either(
    'The summary of the run; with --dry-run what is left to do.',
    summary,
    z.looseObject({ run: z.string() }),
  ),
  'imports resolve': record(z.looseObject({ run: z.string(), unconfirmed: z.number() })),
  'imports discard': either(
    'What was discarded; with --dry-run what would be lost.',
    z.looseObject({ run: z.string(), discarded: z.literal(true) }),
    z.looseObject({ run: z.string(), sent: z.number(), unconfirmed: z.number() }),
  ),
  'imports prune': either(
    'What was removed; with --dry-run what would be removed.',
    z.looseObject({ removed: z.number(), kept: z.number() }),
    z.looseObject({ wouldRemove: z.number(), kept: z.number() }),
  ),
};
