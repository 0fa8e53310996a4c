import { isObject } from '../core/is-object.ts';
import { inLang, type Lang, type Phrase } from '../core/text/phrase.ts';

/** Verb of a write → its form once the write is done: `create` → `Created`. */
const DONE: Readonly<Record<Lang, Readonly<Record<string, string>>>> = {
  en: {
    create: 'Created',
    add: 'Added',
    delete: 'Deleted',
    change: 'Changed',
    restore: 'Restored',
  },
  es: {
    crear: 'Se creó',
    agregar: 'Se agregó',
    eliminar: 'Se eliminó',
    cambiar: 'Se cambió',
    restaurar: 'Se restauró',
  },
};

/** `id` has the title behind it: several requisitions may have the same title. */
const REQUISITION: Readonly<Record<Lang, (id: string, groups: number, items: number) => string>> = {
  en: (id, groups, items) =>
    `Created requisition ${id} (${counted(groups, 'group')}, ${counted(items, 'item')})`,
  es: (id, groups, items) =>
    `Se creó la requisición ${id} (${counted(groups, 'grupo')}, ${counted(items, 'artículo')})`,
};

interface Result {
  readonly created: string | undefined;
  readonly body: unknown;
}

/** What a write has done: `Created item "Bolt": itm-1`. */
export function writtenText(what: Phrase, { created, body }: Result, lang: Lang): string {
  if (created !== undefined && isObject(body) && Array.isArray(body.groups)) {
    const items = body.groups.flatMap((group: unknown) =>
      isObject(group) && Array.isArray(group.items) ? (group.items as unknown[]) : [],
    );
    const title = typeof body.title === 'string' ? ` "${body.title}"` : '';
    return REQUISITION[lang](`${created}${title}`, body.groups.length, items.length);
  }
  const text = inLang(what, lang);
  const [, verb = '', rest = ''] = /^(\S+)(.*)$/s.exec(text) ?? [];
  const done = DONE[lang][verb];
  // The text of a raw call begins with its HTTP method, which is not in `DONE`.
  const sentence = done === undefined ? `${text}: OK` : `${done}${rest}`;
  return created === undefined ? sentence : `${sentence}: ${created}`;
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}
