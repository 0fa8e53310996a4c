import { openSettings, type SaveConfig } from '../../config/open-settings.ts';
import type { Selection } from '../../config/select-target.ts';
import { command } from '../../core/command.ts';
import { isSignalled, ProcError } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Ports, SelfPort } from '../../core/ports.ts';
import type { Result, Row } from '../../core/result.ts';
import { problemOf } from '../../ledger/ledger-locks.ts';
import { ledgerFolder, sharedLocks } from '../../ledger/open-ledger.ts';
import { type Check, commandsIn, ok, problem, skipped, warning } from '../check.ts';
import { checkSettings } from '../check-settings.ts';
import {
  detectLists,
  type Findings,
  hasNews,
  inUse,
  isNew,
  storeDialect,
} from '../dialect/learn.ts';
import { checkNetwork } from '../network.ts';
import { checkService } from '../service.ts';

const WORDS = {
  paging: 'paging',
  limit: 'limit',
  position: 'offset or page',
  sort: 'sort',
  dir: 'direction',
} as const;

const LIST_PARAMETERS = 'list parameters';
const STORED = 'stored names';
const NETWORK = ['proxy', 'dns'];
const SERVICE = ['service', 'latency', 'clock', LIST_PARAMETERS];

export const doctor = command({
  path: ['doctor'],
  changes: 'local',
  prints: 'list',
  summary: "Check the setup and detect the service's parameter names",
  description:
    'Checks configuration, credential, proxy, DNS, the service, latency and clock. The contract does not state the names of the list parameters, so doctor then detects them with harmless GETs, and stores them in the environment. Changes nothing in the service.',
  flags: {
    quick: {
      kind: 'boolean',
      doc: 'skip the detection of parameter names (20 to 150 GETs)',
    },
    acceptLedger: {
      kind: 'string',
      value: 'timeline',
      doc: 'accept a shared ledger after a failover; check the service first',
    },
  },
  examples: [
    { run: 'proc doctor', doc: 'run all checks' },
    { run: 'proc doctor --quick -o json', doc: 'the quick checks, for a script' },
    { run: 'proc doctor -v', doc: 'with the requests behind each finding' },
  ],
  exitCodes: [EXIT.configuration, EXIT.unauthorized, EXIT.notFound, EXIT.refused, EXIT.unreachable],
  toleratesSettings: true,
  needs: ['io', 'api', 'input', 'store', 'self'],
  async run({ flags }, ports) {
    return report(await examine(ports, flags, openSettings(ports.self).update), ports);
  },
});

/**
 * @param accepted the timeline of `--accept-ledger`
 * @throws ProcError `invalid_usage`
 */
async function checkLedger(
  self: Pick<SelfPort, 'env' | 'flags' | 'cwd'>,
  accepted: string | undefined,
): Promise<readonly Check[]> {
  const locks = sharedLocks(ledgerFolder(self));
  if (locks === undefined) {
    if (accepted === undefined) return [];
    throw new ProcError('invalid_usage', '--accept-ledger: this command uses no shared ledger', {
      hint: 'Set PROC_LEDGER, and select a service that is not on loopback',
    });
  }
  try {
    const found = await locks.durability();
    if (accepted === undefined) {
      const error = problemOf(found);
      return [
        error === undefined ? ok('ledger', `timeline ${found.timeline}`) : problem('ledger', error),
      ];
    }
    if (accepted !== found.timeline) {
      throw new ProcError(
        'invalid_usage',
        `--accept-ledger: the ledger is on the timeline ${found.timeline}, not ${accepted}`,
        { hint: 'See why imports stop, and what to check first: proc doctor' },
      );
    }
    await locks.accept(accepted);
    return [ok('ledger', `timeline ${accepted} is accepted`)];
  } catch (thrown) {
    if (thrown instanceof ProcError && thrown.code !== 'invalid_usage')
      return [problem('ledger', thrown)];
    throw thrown;
  }
}

function report(checks: readonly Check[], ports: Ports<'io' | 'self'>): Result {
  // A table on a terminal has no room for a column of hints. The footnote has them.
  const hasNext =
    !ports.io.terminal.stdoutIsTerminal && checks.some(({ hint }) => hint !== undefined);
  return {
    kind: 'rows',
    columns: [
      { key: 'check', header: 'CHECK', priority: 3 },
      { key: 'status', header: 'STATUS', kind: 'status', priority: 3 },
      { key: 'finding', header: 'FINDING', priority: 2 },
      ...(hasNext ? [{ key: 'hint', header: 'NEXT STEP', priority: 1 }] : []),
    ],
    rows: checks.map(rowOf),
    idField: 'check',
    empty: 'No checks.',
    footnote: () => footnote(checks, ports.self.flags.verbose),
    failure: worst(checks),
  };
}

async function examine(
  ports: Ports<'io' | 'api' | 'input' | 'store' | 'self'>,
  flags: {
    readonly quick: boolean;
    readonly acceptLedger: string | undefined;
  },
  save: SaveConfig,
): Promise<readonly Check[]> {
  const { checks, selection } = checkSettings(openSettings(ports.self));
  const { acceptLedger } = flags;
  const all: Check[] = [...checks, ...(await checkLedger(ports.self, acceptLedger))];
  const leaveOut = (names: readonly string[], why: string): readonly Check[] => {
    const known = new Set(all.map(({ check }) => check));
    const listed = flags.quick ? names.filter((name) => name !== LIST_PARAMETERS) : names;
    return [...all, ...listed.filter((name) => !known.has(name)).map((name) => skipped(name, why))];
  };
  if (selection === undefined) {
    return leaveOut(
      ['target', 'credential', ...NETWORK, ...SERVICE],
      'fix the problems above first',
    );
  }
  all.push(...(await checkNetwork(selection.url.value.origin, ports.self.env)));
  // Problems of these two checks do not prevent reads from the service.
  const aside = ['state folder', 'output', 'ledger'];
  if (all.some(({ check, status }) => status === 'problem' && !aside.includes(check))) {
    return leaveOut(SERVICE, 'fix the problems above first');
  }
  const service = await askService(ports);
  all.push(...service);
  if (service.some(({ status }) => status === 'problem')) {
    return leaveOut(SERVICE, 'fix the problems above first');
  }
  if (!flags.quick) {
    const findings = await lookAtLists(ports);
    all.push(...(await checksOf(ports, selection, findings, save)));
  }
  return all;
}

async function askService(ports: Ports<'api' | 'self'>): Promise<readonly Check[]> {
  try {
    return await checkService(await ports.api.sender(1), ports.self.clock);
  } catch (thrown) {
    // `ports.api.sender` may run the user's credential command, which may fail.
    if (thrown instanceof ProcError && !isSignalled(thrown)) return [problem('credential', thrown)];
    throw thrown;
  }
}

async function lookAtLists(ports: Ports<'io' | 'api' | 'self'>): Promise<Findings> {
  const sender = await ports.api.sender(1);
  const { clock, signal } = ports.self;
  return detectLists({ sender, clock, signal }, (noun) =>
    ports.io.say({
      kind: 'progress',
      text: `Detecting the list parameters of ${noun}…`,
      data: { doctor: noun },
    }),
  );
}

/** The findings as checks; the last one says what was stored. */
async function checksOf(
  ports: Ports<'api' | 'self'>,
  selection: Selection,
  findings: Findings,
  save: SaveConfig,
): Promise<readonly Check[]> {
  const target = await ports.api.target();
  const checks: Check[] = [];
  for (const [noun, found] of findings) {
    const dialect = target.dialect(noun);
    for (const finding of found) {
      const check = `${noun} ${WORDS[finding.word]}`;
      const { evidence } = finding;
      if (finding.state !== 'seen') {
        const likely = finding.state === 'likely' ? 'probably' : 'possibly';
        const name = finding.name === undefined ? '' : `${likely} ${finding.name}: `;
        checks.push({ check, status: 'unknown', finding: name + finding.why, evidence });
      } else {
        const before = isNew(finding, dialect) ? `. proc used ${inUse(dialect, finding.word)}` : '';
        checks.push({ ...ok(check, `${finding.name}: ${finding.why}${before}`), evidence });
      }
    }
  }
  if (hasNews(findings, target)) checks.push(await store(ports, selection, findings, save));
  return checks;
}

async function store(
  ports: Ports<'api' | 'self'>,
  selection: Selection,
  findings: Findings,
  save: SaveConfig,
): Promise<Check> {
  const stored = await storeDialect(ports, selection, findings, save);
  if (stored.kind === 'no place') {
    return warning(
      STORED,
      `not stored, because ${stored.why}: ${stored.text}`,
      `Set a variable instead: PROC_DIALECT='${stored.text}'`,
    );
  }
  const text = `${ports.api.isPreview ? 'would be stored' : 'stored'} for ${stored.place}: ${stored.text}`;
  return stored.isOverridden
    ? warning(STORED, text, 'Unset PROC_DIALECT, which overrides it')
    : ok(STORED, text);
}

function rowOf(checked: Check): Row {
  const { check, status, finding, hint, evidence, error } = checked;
  return {
    check,
    status,
    finding,
    hint: hint ?? null,
    next: commandsIn(hint ?? '').map((command) => ({ command, why: finding })),
    evidence: evidence ?? [],
    exitCode: error?.exitCode ?? null,
  };
}

function footnote(checks: readonly Check[], isVerbose: boolean): string | undefined {
  const problems = checks.filter(({ status }) => status === 'problem');
  // A single problem is also the error of the command, and the error already shows the hint.
  const single = problems.length === 1 ? problems[0] : undefined;
  const parts = checks.map((check) => details(check, isVerbose, check === single)).filter(Boolean);
  if (single === undefined) parts.push(conclusion(checks));
  return parts.length === 0 ? undefined : `\n${parts.join('\n')}`;
}

function details(check: Check, isVerbose: boolean, isError: boolean): string {
  const evidence = isVerbose ? (check.evidence ?? []) : [];
  const hint = isError ? undefined : check.hint;
  if (hint === undefined && evidence.length === 0) return '';
  return [
    `${check.check}: ${check.finding}`,
    ...evidence.map((line) => `    ${line}`),
    ...(hint === undefined ? [] : [`    → ${hint}`]),
  ].join('\n');
}

function conclusion(checks: readonly Check[]): string {
  const having = (wanted: Check['status']) => checks.filter(({ status }) => status === wanted);
  const [problems, warnings, unknown] = [having('problem'), having('warning'), having('unknown')];
  const [first] = [...problems, ...warnings];
  const names = checks.find(({ check }) => check === STORED)?.finding;
  const stored = names === undefined ? '' : ` Names ${names}.`;
  if (first === undefined) {
    return unknown.length === 0
      ? `All well.${stored}`
      : `All well. ${counted(unknown.length, 'check')} could not be decided.${stored}`;
  }
  const counts = [
    ...(problems.length === 0 ? [] : [counted(problems.length, 'problem')]),
    ...(warnings.length === 0 ? [] : [counted(warnings.length, 'warning')]),
  ];
  return `${counts.join(', ')}. First: ${first.hint ?? `${first.check}: ${first.finding}`}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function worst(checks: readonly Check[]): ProcError | undefined {
  return checks
    .flatMap(({ error }) => (error === undefined ? [] : [error]))
    .reduce<ProcError | undefined>(
      (highest, error) => (error.exitCode > (highest?.exitCode ?? EXIT.done) ? error : highest),
      undefined,
    );
}
