import { joinPath, stepsOf } from '../../core/json.ts';
import { eachOf, type Problem, type ProblemPlace, together } from '../../core/row-problem.ts';
import { type Mapping, placeIn } from '../map/mapping.ts';
import type { RunHeader } from '../run-header.ts';
import type { LinePlaces, SourceFormat } from '../source/record.ts';
import { type ImportTarget, shapeOf } from '../targets/import-target.ts';

export interface RowPlace {
  readonly row: number;
  readonly line?: number | null | undefined;
  readonly lines?: LinePlaces | undefined;
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
  const { references = [], fields } = shapeOf(target, groupBy);
  const names = new Set([
    ...Object.keys(rules),
    ...[...target.fields, ...fields].map(({ name }) => name),
    ...references.map(({ into }) => into),
  ]);
  const isKnown = (field: string) => names.has(field) || names.has(stepsOf(field)[0]);

  const locateOne = (problem: Problem, row: RowPlace, isOneOfSeveral: boolean): Problem => {
    const { place, isService = false, field = problem.named?.[0] } = problem;
    const isCell = place?.header !== undefined || place?.expression !== undefined;
    if (place?.row !== undefined || (place !== undefined && !isCell)) return problem;
    const own = { row: row.row, line: row.line ?? undefined };
    if (field === undefined || (isService && !isKnown(field)))
      return isService && isOneOfSeveral ? { ...problem, place: own } : problem;
    const isMapped = Object.hasOwn(rules, field);
    const steps = isMapped ? [field] : stepsOf(field);
    const [first = field, ...inner] = steps;
    const isAssembled = groupBy !== undefined && !isMapped;
    const candidates = isAssembled
      ? target.grouped!.fieldsAt(steps)
      : [first, ...references.flatMap(({ into, field: one }) => (into === first ? one : []))];
    const name = candidates.find((one) => placeIn(rules[one]) !== undefined) ?? first;
    const cell = placeIn(rules[name]) ?? place;
    const path = kind === 'csv' || cell?.header === undefined ? undefined : [cell.header, ...inner];
    return {
      ...problem,
      field: isAssembled ? name : (problem.field ?? field),
      place: {
        ...(isAssembled ? lineOf(row, steps) : own),
        ...(path === undefined ? cell : { path: path.reduce(joined, '') }),
      },
    };
  };

  return (problem, row) => {
    const all = eachOf(problem);
    return together(all.map((one) => locateOne(one, row, all.length > 1)))!;
  };
}

function joined(path: string, step: string): string {
  return joinPath(path, /^\d+$/.test(step) ? Number(step) : step);
}

/** The row that has the value at e.g. `groups`, `0`, `items`, `2`; of all its lines, the first one. */
function lineOf(
  { lines }: RowPlace,
  [, group, , item = '0']: readonly string[],
): ProblemPlace | undefined {
  return lines?.[Number(group)]?.[Number(item)] ?? lines?.[0]?.[0];
}
