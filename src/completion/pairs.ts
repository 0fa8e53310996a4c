import type { SeenThing } from './seen.ts';

/** What is typed so far of the last word: the value of `--flag=value`, without an opening quote. */
export function typedValue(words: readonly string[]): string {
  return (words.at(-1) ?? '').replace(/^--[^=]+=/, '').replace(/^["']/, '');
}

/**
 * What may stand for the pairs of `kinds.ts`: whole words, with the pairs that are typed already.
 *
 * @param specs `name,delivery=pickup|delivery,address=@addresses`
 * @param look gives what `@lookup` stands for.
 */
export function pairs(
  kind: string,
  specs: string,
  words: readonly string[],
  look: (lookup: string) => readonly SeenThing[],
): readonly SeenThing[] {
  const values = new Map(
    specs.split(',').map((spec) => {
      const [key = '', text = ''] = spec.split('=');
      return [key, text];
    }),
  );
  const valuesOf = (key: string): readonly SeenThing[] => {
    const text = values.get(key) ?? '';
    if (text.startsWith('@')) return look(text.slice(1));
    return text === '' ? [] : text.split('|').map((one) => [one, '']);
  };
  if (kind === 'by') return valuesOf(words.at(-2) ?? '');
  const typed = typedValue(words);
  const start = kind === 'pairs' ? typed.lastIndexOf(',') + 1 : 0;
  const [before, own] = [typed.slice(0, start), typed.slice(start)];
  const equals = own.indexOf('=');
  if (equals >= 0) {
    const head = before + own.slice(0, equals + 1);
    return valuesOf(own.slice(0, equals))
      .filter(([value]) => kind !== 'pairs' || isPlainPair(value))
      .map(([value, doc]) => [head + value, doc]);
  }
  const given = new Set(before.split(',').map((pair) => pair.split('=')[0]));
  return [...values.keys()]
    .filter((key) => !given.has(key))
    .map((key): SeenThing => [`${before}${key}=`, '']);
}

/** Whether it reads the same without quotes of its own: a comma would begin the next pair. */
function isPlainPair(value: string): boolean {
  return !value.includes(',') && !value.startsWith('"');
}
