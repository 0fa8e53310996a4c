import type { Problem, ProblemPlace } from '../../core/row-problem.ts';
import { joinPath, stepsOf } from '../../core/text/strict-json.ts';
import { type Mapping, placeIn } from '../map/mapping.ts';
import type { RunHeader } from '../run-header.ts';
import type { Places, SourceFormat } from '../source/record.ts';
import { type ImportTarget, shapeOf } from '../targets/import-target.ts';

export interface RowPlace {
  readonly row: number;
  readonly line?: number | null | undefined;
  readonly places?: Places | undefined;
}

/** Adds the place in the source to a problem in a field of a row, unless the problem has one. */
export type Locate = (problem: Problem, row: RowPlace) => Problem;

/** Names columns and lines of the source for fields of the body, e.g. of `groups[0].items[2].quantity`. */
export function locator(
  { groupBy, mapping }: Pick<RunHeader, 'groupBy' | 'mapping'>,
  { kind }: Pick<SourceFormat, 'kind'>,
  target: ImportTarget,
): Locate {
  const rules = (mapping as Mapping).fields;
  const isTable = kind === 'csv';
  const { references = [], fields } = shapeOf(target, groupBy);
  const names = new Set([
    ...Object.keys(rules),
    ...[...target.fields.fields, ...fields.fields].map(({ name }) => name),
    ...references.map(({ into }) => into),
  ]);

  const isKnown = (field: string) => names.has(field) || names.has(stepsOf(field)[0]);

  const locate: Locate = (problem, row) => {
    const { place, also } = problem;
    const found =
      also === undefined
        ? problem
        : inRow({ ...problem, also: also.map((one) => inRow(locate(one, row), row)) }, row);
    if (place !== undefined && place.header === undefined && place.expression === undefined) {
      return found;
    }
    if (place?.row !== undefined) return found;
    const field = problem.field ?? problem.named?.[0];
    if (field === undefined || (problem.isService === true && !isKnown(field))) return found;
    const isOwn = Object.hasOwn(rules, field);
    const [first = field, ...inner] = isOwn ? [field] : stepsOf(field);
    const path = [first, ...inner];
    const isAssembled = groupBy !== undefined && !isOwn;
    const candidates = isAssembled
      ? target.grouped!.fieldsAt(path)
      : [first, ...references.flatMap(({ into, field: own }) => (into === first ? own : []))];
    const name = candidates.find((one) => placeIn(rules[one]) !== undefined) ?? first;
    const cell = placeIn(rules[name]) ?? place;
    const inRecord = cell?.header === undefined ? undefined : [cell.header, ...inner];
    const at = placeAt(row.places, isAssembled ? path : (inRecord ?? []));
    const of = isAssembled ? at : { row: row.row, line: row.line ?? undefined, ...at };
    return {
      ...found,
      field: isAssembled ? name : (problem.field ?? field),
      place: {
        ...of,
        ...(isTable || inRecord === undefined ? cell : { path: inRecord.reduce(joined, '') }),
      },
    };
  };
  return locate;
}

/** One of several refusals names the row, even if no field is known. */
function inRow(problem: Problem, { row, line }: RowPlace): Problem {
  return problem.place === undefined && problem.isService === true
    ? { ...problem, place: { row, line: line ?? undefined } }
    : problem;
}

function joined(path: string, step: string): string {
  return joinPath(path, /^\d+$/.test(step) ? Number(step) : step);
}

/** If the record lacks the value, the place of the record that should have it. */
function placeAt(places: Places | undefined, path: readonly string[]): ProblemPlace | undefined {
  let at = places;
  for (const step of path) {
    if (at === undefined || typeof at === 'string' || !Object.hasOwn(at, step)) break;
    at = (at as Readonly<Record<string, Places>>)[step];
  }
  while (typeof at === 'object') at = Object.values(at)[0];
  if (at === undefined || at === '') return undefined;
  const [line, row] = at.split(',').map((text) => (text === '' ? undefined : Number(text)));
  return { ...(row === undefined ? {} : { row }), line };
}
