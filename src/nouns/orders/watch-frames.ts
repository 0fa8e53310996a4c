import type { Ports } from '../../core/ports.ts';
import type { Column, Frame, Row, RowsResult, ShownRequest } from '../../core/result.ts';
import { durationText } from '../../core/time/duration.ts';

/** Shown in the field `change`: how an order differs from the previous frame. */
type Change = 'new' | 'changed' | 'gone';

const MARK: Column = { key: 'change', header: '', priority: 4 };

/**
 * Reads the list again and again until interrupted. On a terminal, each frame is the whole list with
 * marked changes. Elsewhere, later frames have only the changes.
 *
 * @param first the result of the first read
 * @param left aborts when nobody reads the output any more
 */
export async function* watchFrames(
  ports: Ports<'io' | 'self'>,
  { everyMs, limit }: { readonly everyMs: number; readonly limit: number | undefined },
  columns: readonly Column[],
  first: RowsResult,
  again: () => Promise<RowsResult | ShownRequest>,
  left: AbortSignal,
): AsyncGenerator<Frame> {
  const ended = AbortSignal.any([ports.self.signal, left]);
  let list: RowsResult | ShownRequest = first;
  let before: ReadonlyMap<string, Row> | undefined;
  for (;;) {
    const rows = await rowsIn(list);
    const now = new Map(rows.map((row) => [String(row.id), row]));
    const marked = before === undefined ? rows : compare(before, now);
    const shown = ports.io.terminal.stdoutIsTerminal
      ? marked
      : marked.filter(({ change }) => before === undefined || change !== undefined);
    if (shown.length > 0 || ports.io.terminal.stdoutIsTerminal) {
      const all = [MARK, ...columns];
      yield {
        title: titleOf(marked, everyMs, ports.self.clock.now()),
        rows: { kind: 'rows', columns: all, rows: shown, limit, empty: 'No orders.' },
      };
    }
    before = now;
    await ports.self.clock.sleep(everyMs, ended);
    list = await again();
  }
}

/** `14:02:11, every 5s: 23 orders, 1 new, 2 changed (Ctrl-C to end)`. */
function titleOf(marked: readonly Row[], everyMs: number, now: number): string {
  const count = (wanted: Change) => marked.filter(({ change }) => change === wanted).length;
  const gone = count('gone');
  const changes = (['new', 'changed', 'gone'] as const)
    .map((change) => [change, count(change)] as const)
    .filter(([, times]) => times > 0)
    .map(([change, times]) => `, ${times} ${change}`);
  const orders = marked.length - gone;
  const time = new Date(now).toTimeString().slice(0, 8);
  return `${time}, every ${durationText(everyMs)}: ${orders} ${orders === 1 ? 'order' : 'orders'}${changes.join('')} (Ctrl-C to end)`;
}

async function rowsIn(list: RowsResult | ShownRequest): Promise<readonly Row[]> {
  if (list.kind !== 'rows') return [];
  const { rows, filter } = list;
  const all: Row[] = [];
  if (Symbol.asyncIterator in rows) for await (const page of rows) all.push(...page);
  else all.push(...rows);
  return filter === undefined ? all : all.filter((row) => filter.keeps(row));
}

function compare(before: ReadonlyMap<string, Row>, now: ReadonlyMap<string, Row>): Row[] {
  const mark = (row: Row, change: Change): Row => ({ change, ...row });
  const current = [...now].map(([id, row]) => {
    const old = before.get(id);
    if (old === undefined) return mark(row, 'new');
    return JSON.stringify(old) === JSON.stringify(row) ? row : mark(row, 'changed');
  });
  const gone = [...before].filter(([id]) => !now.has(id)).map(([, row]) => mark(row, 'gone'));
  return [...current, ...gone];
}
