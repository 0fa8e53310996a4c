import { ProcError } from '../../core/errors.ts';
import { isObject } from '../../core/is-object.ts';
import type { Ports } from '../../core/ports.ts';
import type { Next, RecordResult, Row } from '../../core/result.ts';
import { placeName } from '../../core/service-target.ts';
import { grouped } from '../../core/text/decimal.ts';
import { listedAndMore } from '../../core/text/listed.ts';
import { inShell, targetFlags } from '../../core/text/typed.ts';
import { durationText } from '../../core/time/duration.ts';
import { commandsIn } from '../../doctor/check.ts';
import { withHistory } from '../../history/find-entry.ts';
import { runRow, summariesNow } from '../../import/manage/show-runs.ts';
import { eachRun, importsFolder } from '../../import/store/runs.ts';
import { type Changes, OrderComparison } from '../../nouns/orders/changes/compare-orders.ts';
import type { Snapshot } from '../../nouns/orders/changes/snapshot.ts';
import { SnapshotStore } from '../../nouns/orders/changes/snapshot-store.ts';
import { listOrders } from '../../nouns/orders/index.ts';
import { truncate, wrapAtSpaces } from '../../output/format/width.ts';
import { openSettings } from '../../settings/read/open-settings.ts';
import { select } from '../../settings/read/select-target.ts';
import { visible } from '../../terminal/sanitise.ts';
import { DRAFTS } from '../../wizard/model/drafts.ts';

type StatusPorts = Ports<'io' | 'lookup' | 'store' | 'self'>;

/** The snapshot of the last look. `proc orders changes --since status` compares with it too. */
const LAST_LOOK = 'status';
const DAYS = 30;
const DAY_MS = 86_400_000;

interface Orders {
  readonly before: Snapshot | undefined;
  readonly changes: Changes;
  /** Orders of the last {@link DAYS} days and those without a date, by status in lower case. */
  readonly recent: ReadonlyMap<string, number>;
  readonly undated: number;
}

type Part<T> = { readonly value: T } | { readonly problem: ProcError };

/** @param isSeen the orders become the snapshot that the next look compares with */
export async function lookAround(isSeen: boolean, ports: StatusPorts): Promise<RecordResult> {
  const { self } = ports;
  const settings = openSettings(self);
  const { profile, environment, url } = select(settings.sources());
  const target = {
    profile: profile?.value,
    environment: environment?.value,
    baseUrl: url.value.href,
    isOtherAddress: false,
  };
  const imports = await part(() => openImports(ports));
  const unconfirmed = await part(() => unconfirmedWrites(valueIn(imports) ?? [], ports));
  const drafts = await part(() => openDrafts(ports));
  const comparison = await part(async () => {
    const store = new SnapshotStore(self.env, await ports.store.scope());
    const before = store.find(LAST_LOOK);
    return { store, before, comparison: new OrderComparison(before) };
  });
  const orders =
    'problem' in comparison ? comparison : await part(() => readOrders(comparison.value, ports));
  const save = (isDelivered: boolean): void => {
    if (!isSeen || 'problem' in comparison) return;
    const {
      store,
      comparison: { now },
    } = comparison.value;
    if (!isDelivered || 'problem' in orders) {
      const why = isDelivered
        ? 'the list of orders was not read to its end'
        : 'the output was not delivered';
      ports.io.say({
        kind: 'warning',
        text: `the orders were not remembered as seen, because ${why}`,
      });
      return;
    }
    store.save(LAST_LOOK, now, new Date(self.clock.now()));
    ports.io.say({
      kind: 'notice',
      tone: 'done',
      text: `Remembered ${counted(now.length, 'order')} as seen.`,
    });
  };
  const flags = targetFlags(self.flags);
  const sections = [
    ordersSection(orders, isSeen, flags),
    recentSection(orders, flags),
    section('Unconfirmed', unconfirmed, unconfirmedSection),
    section('Imports', imports, importsSection),
    section('Drafts', drafts, draftsSection),
  ].filter((one) => one !== undefined);
  const next = URGENCY.flatMap((name) => sections.filter((one) => one.name === name)).flatMap(
    (one) => one.next,
  );
  return {
    kind: 'record',
    value: {
      profile: target.profile ?? null,
      environment: target.environment ?? null,
      baseUrl: target.baseUrl,
      orders: 'problem' in orders ? null : ordersValue(orders.value),
      unconfirmed: valueIn(unconfirmed),
      imports: valueIn(imports),
      drafts: valueIn(drafts),
      problems: Object.entries({ orders, unconfirmed, imports, drafts }).flatMap(([name, one]) =>
        'problem' in one
          ? [{ part: name, code: one.problem.code, message: one.problem.message }]
          : [],
      ),
      next,
    },
    page: ({ width = 80, bold }) =>
      pageOf(`${placeName(target)}   ${target.baseUrl}`, sections, width, bold),
    ...(isSeen ? { afterDelivery: save } : {}),
  };
}

/** Only a signal ends a look: whatever else cannot be read is one line of the page. */
async function part<T>(read: () => T | Promise<T>): Promise<Part<T>> {
  try {
    return { value: await read() };
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    if (thrown.exitCode > 128) throw thrown;
    return { problem: thrown };
  }
}

function valueIn<T>(one: Part<T>): T | null {
  return 'value' in one ? one.value : null;
}

async function readOrders(
  {
    before,
    comparison,
  }: { readonly before: Snapshot | undefined; readonly comparison: OrderComparison },
  ports: StatusPorts,
): Promise<Orders> {
  const pages = ports.lookup.pages(listOrders, { stableSort: 'code' });
  const oldest = ports.self.clock.now() - DAYS * DAY_MS;
  const recent = new Map<string, number>();
  let undated = 0;
  try {
    for await (const page of pages.rows) {
      for (const order of page) {
        comparison.add(order);
        const at = typeof order.createdAt === 'string' ? Date.parse(order.createdAt) : Number.NaN;
        if (at < oldest) continue;
        if (Number.isNaN(at)) undated++;
        const status = String(order.status ?? '').toLowerCase();
        recent.set(status, (recent.get(status) ?? 0) + 1);
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || thrown.code !== 'deadline_passed') throw thrown;
    // The command has a default for --deadline.
    const limit = durationText(ports.self.flags.deadlineMs!);
    const read = comparison.now.length;
    const text =
      read === 0
        ? `the service did not answer within ${limit}`
        : `only ${counted(read, 'order')} were read within ${limit}`;
    const flags = targetFlags(ports.self.flags);
    throw new ProcError('deadline_passed', text, {
      hint: `Allow more time: proc status --deadline 1m${flags}`,
    });
  }
  const failure = pages.failure();
  if (failure !== undefined) throw failure;
  return { before, changes: comparison.changes(true), recent, undated };
}

function ordersValue({ before, changes: { rows, counts }, recent, undated }: Orders): Row {
  const isFirst = before === undefined;
  return {
    count: counts.orders,
    since: before?.savedAt === undefined ? null : new Date(before.savedAt).toISOString(),
    new: isFirst ? null : counts.new,
    changed: isFirst ? null : counts.changed,
    gone: isFirst ? null : counts.gone,
    changes: isFirst ? [] : rows,
    days: DAYS,
    statuses: Object.fromEntries(recent),
    undated,
  };
}

/** @param imports the history has an entry for each of these too */
async function unconfirmedWrites(
  imports: readonly Row[],
  ports: StatusPorts,
): Promise<readonly Row[]> {
  const entries = await withHistory(ports, [], (history) => history.entries({ state: 'unknown' }));
  const runs = new Set(imports.map(({ run }) => run));
  const single = entries.filter(({ payload }) => !(isObject(payload) && runs.has(payload.run)));
  return single.map(({ id, at, what }) => ({ id, at: new Date(at).toISOString(), what }));
}

/** Imports to send, resume or resolve, and those at work, the newest first. */
async function openImports(ports: StatusPorts): Promise<readonly Row[]> {
  const summaryNow = await summariesNow(ports);
  const rows = await eachRun(
    importsFolder(ports.self),
    (one) => {
      const { run, state, source, next, process } = runRow(summaryNow(one), ports);
      if (next === undefined && process === undefined) return undefined;
      return { run, state: process === undefined ? state : 'running', source, next: next ?? [] };
    },
    (run): Row => ({ run, state: 'damaged', source: null, next: [] }),
  );
  return rows.toReversed();
}

async function openDrafts(ports: StatusPorts): Promise<readonly Row[]> {
  const drafts = (await ports.store.open(DRAFTS)).list((error) => {
    throw error;
  });
  return drafts.map(({ id, sheet, updated }) => ({
    id,
    title: sheet.title ?? null,
    updated: new Date(updated).toISOString(),
  }));
}

interface Section {
  readonly name: 'Orders' | 'Recent' | 'Unconfirmed' | 'Imports' | 'Drafts';
  /** Shortened if the page would be too long. */
  readonly text: string;
  /** Left out if the page would be too long. */
  readonly details?: readonly string[];
  readonly next: readonly Next[];
}

const URGENCY = ['Unconfirmed', 'Imports', 'Orders', 'Recent', 'Drafts'] as const;

function section<T extends readonly unknown[]>(
  name: Section['name'],
  one: Part<T>,
  show: (value: T) => Omit<Section, 'name'>,
): Section | undefined {
  if ('problem' in one) return problemSection(name, one.problem);
  return one.value.length === 0 ? undefined : { name, ...show(one.value) };
}

function problemSection(name: Section['name'], { message, hint = '' }: ProcError): Section {
  return {
    name,
    // There is only one request, so its address is left out.
    text: `not read: ${message.replace(/^GET \S+: /, '')}`,
    next: commandsIn(hint).map((command) => ({ command, why: `${name} could not be read` })),
  };
}

const SHOWN_CHANGES = 3;

/** @param isSeen no later command shows these changes */
function ordersSection(orders: Part<Orders>, isSeen: boolean, flags: string): Section {
  if ('problem' in orders) return problemSection('Orders', orders.problem);
  const {
    before,
    changes: { rows, counts },
  } = orders.value;
  const count = counted(counts.orders, 'order');
  if (before === undefined) {
    if (isSeen) return { name: 'Orders', text: count, next: [] };
    return {
      name: 'Orders',
      text: `${count}. To see later what changed since now:`,
      next: [{ command: `proc status --seen${flags}`, why: 'Remember the orders as seen' }],
    };
  }
  if (rows.length === 0)
    return { name: 'Orders', text: `${count}, none changed since the last look`, next: [] };
  const named = (['new', 'changed', 'gone'] as const)
    .filter((one) => counts[one] > 0)
    .map((one) => `${grouped(counts[one])} ${one}`);
  return {
    name: 'Orders',
    text: `${named.join(', ')} of ${count} since the last look`,
    details: [
      ...rows.slice(0, SHOWN_CHANGES).map(changeText),
      ...(rows.length > SHOWN_CHANGES ? [`and ${grouped(rows.length - SHOWN_CHANGES)} more`] : []),
    ],
    next: isSeen
      ? []
      : [
          {
            command: `proc orders changes --since status${flags}`,
            why: `Orders changed: ${named.join(', ')}`,
          },
          { command: `proc status --seen${flags}`, why: 'Remember the orders as seen' },
        ],
  };
}

function changeText({ change, code, id, title, status, previousStatus }: Row): string {
  const now = previousStatus === null ? String(status ?? '') : `${previousStatus} → ${status}`;
  return [code ?? id, change === 'changed' ? now : `${change}, ${now}`, title ?? '']
    .map(String)
    .join('  ');
}

/** Words for orders that wait or were refused. The contract does not list the statuses. */
const WAITING = ['pending', 'rejected'];
const MOST_STATUSES = 4;

function recentSection(orders: Part<Orders>, flags: string): Section | undefined {
  if ('problem' in orders || orders.value.recent.size === 0) return undefined;
  const { recent, undated } = orders.value;
  const waiting = WAITING.filter((status) => recent.has(status));
  const shown = waiting.length > 0 ? waiting : [...recent.keys()];
  const total = [...recent.values()].reduce((sum, count) => sum + count, 0);
  const isDated = undated < total;
  const texts = shown.map(
    (status) => `${grouped(recent.get(status)!)} ${status === '' ? 'without a status' : status}`,
  );
  const period = !isDated
    ? 'orders have no date'
    : `created in the last ${DAYS} days${undated === 0 ? '' : ' or without a date'}`;
  const named = waiting.join(',');
  return {
    name: 'Recent',
    text: `${listedAndMore(texts, MOST_STATUSES, ', ')} (${period})`,
    next:
      waiting.length === 0
        ? []
        : [
            {
              command: isDated
                ? `proc orders list --status ${inShell(named)} --since 30d${flags}`
                : `proc orders list --status ${inShell(named)}${flags}`,
              why: texts.join(', '),
            },
          ],
  };
}

function unconfirmedSection(writes: readonly Row[]): Omit<Section, 'name'> {
  const named = writes.map(({ what }) => String(what));
  return {
    text: `${counted(writes.length, 'write')} with an unknown outcome: ${listedAndMore(named, 1, ', ')}`,
    next: [
      {
        command: 'proc history list --state unknown',
        why: 'The outcome of these writes is unknown',
      },
    ],
  };
}

const MOST_RUNS = 3;

function importsSection(runs: readonly Row[]): Omit<Section, 'name'> {
  const states = [...Map.groupBy(runs, ({ state }) => String(state))];
  const steps = runs.flatMap(({ next }) => next as readonly Next[]);
  return {
    text: states.map(([state, { length }]) => `${grouped(length)} ${state}`).join(', '),
    next:
      steps.length > 0 && runs.length <= MOST_RUNS
        ? steps
        : [{ command: 'proc imports list', why: 'Imports are not finished' }],
  };
}

function draftsSection(drafts: readonly Row[]): Omit<Section, 'name'> {
  const titles = drafts.map(({ title, id }) => String(title ?? id));
  return {
    text: `${counted(drafts.length, 'draft')}: ${listedAndMore(titles, 3, ', ')}`,
    next: [{ command: 'proc requisition draft list', why: 'Drafts are not sent yet' }],
  };
}

function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const MOST_LINES = 20;
const NAME_WIDTH = 13;
/** So many lines of each text leave room for all sections and their commands. */
const BRIEF_LINES = 2;

function pageOf(
  head: string,
  sections: readonly Section[],
  width: number,
  bold: (text: string) => string,
): string {
  const margin = ' '.repeat(NAME_WIDTH);
  const room = Math.max(width - NAME_WIDTH, NAME_WIDTH);
  const linesWith = (hasDetails: boolean, mostOfText: number): readonly string[] => [
    bold(head),
    '',
    ...sections.flatMap(({ name, text, details = [], next }) => {
      const lines = wrapAtSpaces(visible(text), room);
      const rest = lines.splice(mostOfText - 1).join(' ');
      const [first = '', ...others] = rest === '' ? lines : [...lines, truncate(rest, room)];
      return [
        `${bold(name)}${margin.slice(name.length)}${first}`,
        ...others.map((line) => `${margin}${line}`),
        ...(hasDetails ? details : []).map((line) =>
          truncate(`${margin}  ${visible(line)}`, width),
        ),
        // A command is not wrapped: a person copies it. It begins further left if it would not fit.
        ...next.map(({ command }) => {
          const space = Math.max(width - command.length, 0);
          return `${margin.slice(0, command.length > room ? Math.min(space, 2) : undefined)}${command}`;
        }),
      ];
    }),
    ...(sections.some(({ next }) => next.length > 0) ? [] : ['', 'Nothing needs you now.']),
  ];
  const ways = [
    linesWith(true, Number.POSITIVE_INFINITY),
    linesWith(false, Number.POSITIVE_INFINITY),
  ];
  const lines = ways.find(({ length }) => length <= MOST_LINES) ?? linesWith(false, BRIEF_LINES);
  return `${lines.join('\n')}\n`;
}
