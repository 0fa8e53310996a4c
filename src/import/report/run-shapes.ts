import type { ShapeKit } from '../../core/shape/output-shape.ts';

export function bulkShape(kit: ShapeKit) {
  const { either } = kit;
  return either('The summary of a run; with --dry-run the plan.', runSummary(kit), plan(kit));
}

export function runSummary(kit: ShapeKit) {
  const { z, maybe, textOrNull, nextSteps } = kit;
  return z.looseObject({
    run: z.string(),
    source: z.string(),
    ...counts(kit),
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
    rejectedFile: maybe(z.string()),
    resultsFile: maybe(z.string()),
    unconfirmedRows: maybe(z.array(z.extend(namedRow(kit), { reason: textOrNull }))),
    stopped: maybe(z.string()),
    resume: maybe(z.string()),
    next: nextSteps,
  });
}

export function runFields(kit: ShapeKit) {
  const { z, textOrNull, maybe, nextSteps } = kit;
  return {
    run: z.string(),
    state: z.enum(['unfinished', 'unconfirmed', 'finished']),
    noun: z.string(),
    source: z.string(),
    profile: textOrNull,
    environment: textOrNull,
    baseUrl: z.string(),
    organization: textOrNull,
    startedAt: z.string(),
    ...counts(kit),
    sending: maybe(z.number()),
    process: maybe(z.number()),
    runningSince: maybe(textOrNull),
    next: maybe(nextSteps),
  };
}

export function runDetails({ textOrNull, numberOrNull, anyValue }: ShapeKit) {
  return {
    bytes: numberOrNull,
    hash: textOrNull,
    mapping: anyValue,
    choices: anyValue,
    rejectedFile: textOrNull,
    resultsFile: textOrNull,
  };
}

export function namedRow({ z, textOrNull }: ShapeKit) {
  return z.looseObject({ row: z.number(), code: textOrNull });
}

function counts({ z, maybe }: ShapeKit) {
  return {
    counts: maybe(z.literal('requisitions')),
    rows: z.number(),
    created: z.number(),
    existing: z.number(),
    duplicates: z.number(),
    dropped: z.number(),
    rejected: z.number(),
    unconfirmed: z.number(),
    pending: z.number(),
    repaired: maybe(z.number()),
  };
}

function plan(kit: ShapeKit) {
  const { z, maybe, nextSteps, anyValue } = kit;
  return z.looseObject({
    dryRun: z.literal(true),
    ...planned(kit),
    refused: maybe(z.string()),
    next: maybe(nextSteps),
    mapping: anyValue,
  });
}

function planned({ z, numberOrNull, anyValue, maybe }: ShapeKit) {
  return {
    source: z.string(),
    counts: maybe(z.literal('requisitions')),
    rows: z.number(),
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
}
