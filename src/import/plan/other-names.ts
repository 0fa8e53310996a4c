import type { Ports } from '../../core/ports.ts';
import { someOf } from '../../core/text/listed.ts';
import type { Lang } from '../../core/text/phrase.ts';
import { inShell } from '../../core/text/typed.ts';
import { importPlanMessages } from '../../messages/planning.ts';
import { ALLOW_COMPARED, type Refusal } from '../import-flags.ts';
import type { Mapping, Rule } from '../map/mapping.ts';
import type { Facts, RunHeader } from '../store/facts.ts';
import type { Run } from '../store/run-file.ts';
import type { ImportTarget } from '../targets/import-target.ts';

const NAMED = 3;

/** @returns undefined if all names agree */
export function noteOtherNames(
  run: Run,
  { noun, listing }: ImportTarget,
  ports: Ports<'self'>,
): Facts['otherNames'] | undefined {
  if (listing === undefined) return undefined;
  const found = run.rows.catalogue.otherNames(listing.nameField, NAMED);
  if (found === undefined) return undefined;
  const noted = { ...found, diff: diffCommand(noun, run.header, ports) };
  run.note({ otherNames: noted });
  return noted;
}

/** `2 existing rows have another name in the catalogue: A-1 (file: Bolt; catalogue: Bolts), …. To compare: …`. */
export function otherNamesText(
  { count, samples, diff }: NonNullable<Facts['otherNames']>,
  lang: Lang,
): string {
  const words = importPlanMessages[lang];
  const names = samples.map((one) => words.otherName(one.code, one.name, one.catalogueName));
  return words.otherNames(count, someOf(names, count), diff);
}

/** `proc NOUN diff` for the same file, with the flags that affect how the file is read. */
function diffCommand(
  noun: string,
  { source, mapping, choices }: RunHeader,
  { self: { flags, typed } }: Ports<'self'>,
): string {
  const { fields, nulls } = mapping as Mapping;
  const isPiped = source.name === 'standard input';
  const isTyped = typed.includes(source.name);
  const words = [
    isPiped ? '-' : isTyped ? source.name : source.path,
    ...given('--profile', flags.profile),
    ...given('--env', flags.env),
    ...Object.entries(fields).flatMap(([field, rule]) =>
      ['code', 'name'].includes(field) ? given('--map', mapped(field, rule)) : [],
    ),
    ...nulls.flatMap((word) => given('--null', word)),
    ...given('--path', source.arrayPath),
    ...given('--sheet', source.sheet),
    ...given('--header-row', source.headerRow),
    ...given('--skip-rows', source.skipRows),
    ...given('--encoding', source.encoding === 'windows-1252' ? source.encoding : undefined),
    ...(choices.where ?? []).flatMap((condition) => given('--where', condition)),
    ...(choices.csvRaw === true ? ['--csv-raw'] : []),
    ...given('--allow', namesOf(ALLOW_COMPARED, choices.allow)),
  ];
  return ['proc', noun, 'diff', ...words.map(inShell)].join(' ');
}

function given(flag: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [flag, String(value)];
}

function namesOf(
  { choices }: { readonly choices: Readonly<Record<string, string>> },
  allowed: readonly Refusal[],
): string | undefined {
  const names = allowed.filter((name) => Object.hasOwn(choices, name));
  return names.length === 0 ? undefined : names.join(',');
}

function mapped(field: string, rule: Rule): string | undefined {
  if ('column' in rule) {
    return `${field}=${rule.position === undefined ? rule.column : `#${rule.position}`}`;
  }
  if ('template' in rule) return `${field}=${rule.template}`;
  return 'jmespath' in rule ? `${field}=jmes:${rule.jmespath}` : undefined;
}
