import { changeText } from '../../core/service/code-change.ts';
import { expectedFrom } from '../../rehearsal/expected.ts';
import type { Second, Traits } from '../../rehearsal/kept-traits.ts';
import { lagText, rehearsedText } from '../../rehearsal/rehearsed-text.ts';
import { type Check, ok, warning } from '../check.ts';

export function traitChecks(traits: Traits, now: number): readonly Check[] {
  const { codes, second, answers, list, deletes, parameters, left } = traits;
  return [
    { ...ok('rehearsal', rehearsedText(expectedFrom(traits, 'items'), now)), traits },
    {
      ...(codes.isKnown
        ? ok('rehearsed codes', `${codesText(codes)}; ${lengthText(codes)}`)
        : warning('rehearsed codes', `${codesText(codes)}; ${lengthText(codes)}`)),
      evidence: codes.samples.map(
        ({ sent, stored }) => `${JSON.stringify(sent)} → ${JSON.stringify(stored)}`,
      ),
    },
    ok(
      'rehearsed repeats',
      [
        `a second item with the same code: ${secondText(second.items)}`,
        `in another case: ${secondText(second.itemsInOtherCase)}`,
        `in another Unicode form: ${secondText(second.itemsInOtherForm)}`,
        `an equal imputation: ${secondText(second.imputations)}`,
      ].join('; '),
    ),
    ok(
      'rehearsed answers',
      `${answerText('items', answers.items)}, ${CODE_IN_ANSWER[answers.items.code]}; ${answerText('requisitions', answers.requisitions)}; ${answerText('imputations', answers.imputations)}`,
    ),
    list.lagMs === null
      ? warning('rehearsed lists', 'the list did not show a new item')
      : ok('rehearsed lists', `a new item appears ${lag(list.lagMs)}, ${ORDER[list.order]}`),
    ok(
      'rehearsed deletes',
      `lines: ${deletedText(deletes.lines)}; groups: ${deletedText(deletes.groups)}`,
    ),
    ok(
      'rehearsed parameters',
      `an empty limit: ${EMPTY[parameters.empty]}; a repeated limit: ${REPEATED[parameters.repeated]}`,
    ),
    ok(
      'rehearsed records',
      `these stay: ${left.map(({ noun, id }) => `${noun} ${id}`).join(', ') || 'none'}`,
    ),
  ];
}

function codesText({ isKnown, change, samples }: Traits['codes']): string {
  if (samples.length === 0) return 'no code was stored';
  if (!isKnown) return 'changed in a way that proc cannot tell';
  return change === null ? 'stored as sent' : `stored ${changeText(change)}`;
}

function lengthText({ longest: { sent, result, to } }: Traits['codes']): string {
  switch (result) {
    case 'kept':
      return `${sent} characters are kept`;
    case 'cut':
      return `${sent} characters are cut to ${to}`;
    case 'refused':
      return `${sent} characters are refused`;
    case 'unknown':
      return 'the longest length is unknown';
  }
}

function secondText({ result, status, message }: Second): string {
  const said = status === null ? '' : ` (${status}${message === null ? '' : `: ${message}`})`;
  switch (result) {
    case 'created':
      return `created${said}`;
    case 'refused':
      return `refused${said}`;
    case 'same id':
      return `the first record${said}`;
    case 'unknown':
      return 'unknown';
  }
}

function answerText(noun: string, { fields, id }: Traits['answers']['requisitions']): string {
  if (fields.length === 0) return `${noun}: unknown`;
  return `${noun}: ${fields.join(', ')} (ids are ${id === 'number' ? 'numbers' : id})`;
}

const CODE_IN_ANSWER = {
  stored: 'with the code as stored',
  sent: 'with the code as sent',
  absent: 'without a code',
  unknown: 'with a code of which nothing is known',
} as const satisfies Record<Traits['answers']['items']['code'], string>;

const ORDER = {
  first: 'at the beginning',
  last: 'at the end',
  elsewhere: 'neither at the beginning nor at the end',
  unknown: 'at an unknown place',
} as const satisfies Record<Traits['list']['order'], string>;

const EMPTY = {
  refused: 'refused',
  ignored: 'ignored',
  zero: 'taken as 0',
  unknown: 'unknown',
} as const satisfies Record<Traits['parameters']['empty'], string>;

const REPEATED = {
  refused: 'refused',
  first: 'the first one counts',
  last: 'the last one counts',
  ignored: 'ignored',
  unknown: 'unknown',
} as const satisfies Record<Traits['parameters']['repeated'], string>;

function lag(ms: number): string {
  return ms === 0 ? 'at once' : `after ${lagText(ms)}`;
}

function deletedText({ status, gone }: Traits['deletes']['lines']): string {
  if (status === null) return 'unknown';
  const after = gone === null ? 'unknown whether gone' : gone ? 'gone' : 'still there';
  return `${status}, ${after}`;
}
