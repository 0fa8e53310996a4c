import type { EndpointSpec } from '../../core/endpoint.ts';
import type { Ports } from '../../core/ports.ts';
import { kebab } from '../../core/text/kebab.ts';
import {
  findText,
  htmlEntity,
  invisibleIn,
  mojibake,
  placeholder,
  spreadsheetError,
} from './doubtful-text.ts';
import { deliversNowhere } from './items-in-place.ts';

type Body = Readonly<Record<string, unknown>>;

const CODES = ['code', 'reference', 'account', 'contractId', 'orderId'];
const NAMES = ['name', 'title'];

/**
 * Warns of what an import would refuse or report. A single create is sent all the same: a person or a
 * script has said what it means, and the contract allows it.
 *
 * @param file of the body; undefined if flags gave it
 */
export function warnOfDoubts(
  endpoint: EndpointSpec,
  body: object,
  file: string | undefined,
  { io }: Ports<'io'>,
): void {
  const say = (text: string): void => io.say({ kind: 'warning', text });
  const { attributes, ...texts } = body as Body;
  const named = (field: string): string =>
    file === undefined ? `--${kebab(field)}` : `${file}: ${field}`;
  const hidden = findText(body, (text, key) =>
    invisibleIn(text, CODES.includes(key) ? 'code' : NAMES.includes(key) ? 'name' : 'text'),
  );
  if (hidden !== undefined) {
    const { kind, character } = hidden.found;
    say(`${named(hidden.field)} contains the ${kind} character ${character}`);
  }
  const error = findText(body, spreadsheetError);
  if (error !== undefined)
    say(`${named(error.field)} contains the spreadsheet error ${error.found}`);
  const empty = findText(texts, (text, key) =>
    CODES.includes(key) || NAMES.includes(key) ? placeholder(text) : undefined,
  );
  if (empty !== undefined) {
    say(`${named(empty.field)}: ${JSON.stringify(empty.found)} seems to stand for a missing value`);
  }
  const garbled = findText(body, (text) => mojibake(text) ?? htmlEntity(text));
  if (garbled !== undefined)
    say(`${named(garbled.field)} has garbled characters: ${garbled.found}`);
  const whole = file === undefined ? '' : `${file}: `;
  for (const text of missingIn(endpoint.id, texts)) say(`${whole}${text}`);
}

function missingIn(endpoint: string, body: Body): string[] {
  if (endpoint === 'items.create') return body.name === undefined ? ['the item has no name'] : [];
  if (endpoint === 'requisitions.create') {
    return deliversNowhere(body) ? ['a delivery has no address'] : [];
  }
  if (endpoint !== 'imputations.create') return [];
  return [
    ...(body.amount === undefined || body.amount === null ? ['the imputation has no amount'] : []),
    ...(body.amount === 0 ? ['the amount is 0'] : []),
    ...(body.orderId === undefined && body.contractId === undefined
      ? ['the imputation has neither order nor contract']
      : []),
  ];
}
