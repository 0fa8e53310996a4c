import type { Lang } from '../core/text/phrase.ts';
import { fieldName } from './import-nouns.ts';

/**
 * What each write does, as an infinitive without a question mark. Confirmations turn it into a
 * question.
 */
const en = {
  createRequisition: (title: string, groups: number) =>
    `create requisition "${title}" with ${groups === 1 ? '1 group' : `${groups} groups`}`,
  composeRequisition: () => 'create the requisition from --lines or --from',
  addGroup: (name: string, requisition: string) =>
    `add ${name === '' ? 'a group' : `group "${name}"`} to requisition ${requisition}`,
  removeGroup: (group: string, requisition: string) =>
    `delete group ${group} of requisition ${requisition}`,
  addLine: (quantity: string, item: string, group: string, requisition: string) =>
    `add ${quantity} × ${item} to ${group} of ${requisition}`,
  /** `order`: quantity and item of the line, if known. */
  removeLine: (line: string, order: string, group: string, requisition: string) =>
    `delete ${order === '' ? `line ${line}` : `${order} (${line})`} from ${group} of ${requisition}`,
  createItem: (name: string) => `create item "${name}"`,
  createImputation: (amount: string, account: string, order: string) =>
    `create an imputation ${amount === '' ? 'without an amount' : `of ${amount}`}${account === '' ? '' : ` on account ${account}`}${order === '' ? '' : ` for ${order}`}`,
  patchSector: (id: string, fields: string) => `change ${fields} of sector ${id}`,
  undoPatch: (fields: string, id: string, entry: string) =>
    `restore ${fields} of ${id} (undo of ${entry})`,
  deleteSector: (id: string) => `delete sector ${id}`,
  rehearse: (count: string) =>
    `create ${count} records named PROC-REHEARSAL-…, of which most cannot be deleted`,
  deleteSectors: (first: string, others: number) =>
    `delete sector ${first}${others === 0 ? '' : ` and ${others} more`}`,
  patchAddress: (id: string, fields: string) => `change ${fields} of address ${id}`,
  deleteAddress: (id: string) => `delete address ${id}`,
  deleteAddresses: (first: string, others: number) =>
    `delete address ${first}${others === 0 ? '' : ` and ${others} more`}`,
};

export type WriteMessages = typeof en;

const es: WriteMessages = {
  createRequisition: (title, groups) =>
    `crear la requisición "${title}" con ${groups === 1 ? '1 grupo' : `${groups} grupos`}`,
  composeRequisition: () => 'crear la requisición formada con --lines o --from',
  addGroup: (name, requisition) =>
    `agregar ${name === '' ? 'un grupo' : `el grupo "${name}"`} a la requisición ${requisition}`,
  removeGroup: (group, requisition) =>
    `eliminar el grupo ${group} de la requisición ${requisition}`,
  addLine: (quantity, item, group, requisition) =>
    `agregar ${quantity} × ${item} a ${group} de ${requisition}`,
  removeLine: (line, order, group, requisition) =>
    `eliminar ${order === '' ? `la línea ${line}` : `${order} (${line})`} de ${group} de ${requisition}`,
  createItem: (name) => `crear el artículo "${name}"`,
  createImputation: (amount, account, order) =>
    `crear una imputación ${amount === '' ? 'sin monto' : `de ${amount.replace('.', ',')}`}${account === '' ? '' : ` en la cuenta ${account}`}${order === '' ? '' : ` para ${order}`}`,
  patchSector: (id, fields) => `cambiar ${fieldNames(fields)} del rubro ${id}`,
  undoPatch: (fields, id, entry) => `restaurar ${fieldNames(fields)} de ${id} (deshace ${entry})`,
  deleteSector: (id) => `eliminar el rubro ${id}`,
  rehearse: (count) =>
    `crear ${count} registros llamados PROC-REHEARSAL-…, de los que la mayoría no se puede eliminar`,
  deleteSectors: (first, others) =>
    `eliminar el rubro ${first}${others === 0 ? '' : ` y ${others} más`}`,
  patchAddress: (id, fields) => `cambiar ${fieldNames(fields)} de la dirección ${id}`,
  deleteAddress: (id) => `eliminar la dirección ${id}`,
  deleteAddresses: (first, others) =>
    `eliminar la dirección ${first}${others === 0 ? '' : ` y ${others} más`}`,
};

/** `nombre, descripción` from `name, description` */
function fieldNames(fields: string): string {
  return fields
    .split(', ')
    .map((field) => fieldName(field, 'es'))
    .join(', ');
}

export const writeMessages: Readonly<Record<Lang, WriteMessages>> = { en, es };

export function phrase<K extends keyof WriteMessages>(
  write: K,
  ...values: Parameters<WriteMessages[K]>
): Readonly<Record<Lang, string>> {
  const say = (lang: Lang) =>
    (writeMessages[lang][write] as (...given: typeof values) => string)(...values);
  return { en: say('en'), es: say('es') };
}
