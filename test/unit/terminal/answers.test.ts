import { expect, it } from 'vitest';
import { isTyped, yesOrNo } from '../../../src/terminal/prompts.ts';

it.each(['y', 'Y', 'ye', 'yes', 'YES '])('%j is a yes', (answer) =>
  expect(yesOrNo(answer)).toBe(true),
);

it.each(['n', 'N', 'no', 'nó'])('%j is a no', (answer) => {
  expect(yesOrNo(answer)).toBe(false);
});

it('any other answer is neither yes nor no, and proc asks again', () => {
  for (const answer of ['', 'x', 'sin', 'nope', 'yesterday', '1']) {
    expect(yesOrNo(answer), answer).toBeUndefined();
  }
  for (const answer of ['s', 'si', 'sí']) expect(yesOrNo(answer), answer).toBeUndefined();
});

it('a typed word must match in case, but accents are optional', () => {
  expect(isTyped('córdoba', 'córdoba')).toBe(true);
  expect(isTyped('cordoba ', 'córdoba')).toBe(true);
  expect(isTyped('co\u0301rdoba', 'córdoba')).toBe(true);
  expect(isTyped('Cordoba', 'córdoba')).toBe(false);
  expect(isTyped('', 'córdoba')).toBe(false);
});
