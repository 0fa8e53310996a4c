/**
 * What each write does, as an infinitive without a question mark. Confirmations turn it into a
 * question.
 */
export const writeMessages = {
  createRequisition: (title: string, groups: number) =>
    `create requisition "${title}" with ${groups === 1 ? '1 group' : `${groups} groups`}`,
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
  deleteSector: (id: string) => `delete sector ${id}`,
  deleteSectors: (first: string, others: number) =>
    `delete sector ${first}${others === 0 ? '' : ` and ${others} more`}`,
  patchAddress: (id: string, fields: string) => `change ${fields} of address ${id}`,
  deleteAddress: (id: string) => `delete address ${id}`,
  deleteAddresses: (first: string, others: number) =>
    `delete address ${first}${others === 0 ? '' : ` and ${others} more`}`,
};

export type WriteMessages = typeof writeMessages;

export function phrase<K extends keyof WriteMessages>(
  write: K,
  ...values: Parameters<WriteMessages[K]>
): string {
  const say = () => (writeMessages[write] as (...given: typeof values) => string)(...values);
  return say();
}
