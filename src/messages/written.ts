import { isObject } from '../core/is-object.ts';

/** Verb of a write → its form once the write is done: `create` → `Created`. */
const DONE: Readonly<Record<string, string>> = {
  create: 'Created',
  add: 'Added',
  delete: 'Deleted',
  change: 'Changed',
  restore: 'Restored',
};

/** `id` has the title behind it: several requisitions may have the same title. */
const REQUISITION: (id: string, groups: number, items: number) => string = (id, groups, items) =>
  `Created requisition ${id} (${counted(groups, 'group')}, ${counted(items, 'item')})`;

interface Result {
  readonly created: string | undefined;
  readonly body: unknown;
}

/** What a write has done: `Created item "Bolt": itm-1`. */
export function writtenText(what: string, { created, body }: Result): string {
  if (created !== undefined && isObject(body) && Array.isArray(body.groups)) {
    const items = body.groups.flatMap((group: unknown) =>
      isObject(group) && Array.isArray(group.items) ? (group.items as unknown[]) : [],
    );
    const title = typeof body.title === 'string' ? ` "${body.title}"` : '';
    return REQUISITION(`${created}${title}`, body.groups.length, items.length);
  }
  const text = what;
  const [, verb = '', rest = ''] = /^(\S+)(.*)$/s.exec(text) ?? [];
  const done = DONE[verb];
  // The text of a raw call begins with its HTTP method, which is not in `DONE`.
  const sentence = done === undefined ? `${text}: OK` : `${done}${rest}`;
  return created === undefined ? sentence : `${sentence}: ${created}`;
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}
