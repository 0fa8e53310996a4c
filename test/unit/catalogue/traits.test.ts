import { describe, expect, it } from 'vitest';
import { conflicts, partsOf } from '../../../src/catalogue/traits.ts';
import { codeKeyOf } from '../../../src/listing/spelling.ts';

const differing = (one: string, other: string) => conflicts([partsOf(one), partsOf(other)]);

describe('the traits of names', () => {
  it.each([
    ['HL Road Frame - Black, 58', 'HL Road Frame - Black, 62', 'number'],
    ['Bolt M8', 'Bolt M10', 'number'],
    ['Bolt 8 mm', 'Bolt 8 cm', 'number'],
    ['Tubo 1/2"', 'Tubo 3/4"', 'number'],
    ['Cable 1,5 m', 'Cable 15 m', 'number'],
    ['Mark II', 'Mark III', 'number'],
    ["Men's Sports Shorts, S", "Men's Sports Shorts, L", 'size'],
    ['Guante chico', 'Guante grande', 'size'],
    ['Jersey XL', 'Jersey extra small', 'size'],
    ['Helmet, Black', 'Helmet, Blue', 'colour'],
    ['Casco rojo', 'Casco azul', 'colour'],
    ['Screw, steel', 'Screw, stainless steel', 'material'],
    ['Tornillo de acero', 'Tornillo de latón', 'material'],
    ['Paper, box', 'Paper, sheet', 'pack'],
    ['Clavos, caja', 'Clavos, bolsa', 'pack'],
    ['Pen, box of 12', 'Pen, box of 24', 'number'],
    ['Pedal left', 'Pedal right', 'side'],
    ['Freno delantero', 'Freno trasero', 'side'],
    ['Tornillo', 'Tornillo de acero', 'material'],
    ['Screw', 'Screw (box)', 'pack'],
    ['Battery type C', 'Battery type D', 'letter'],
  ])('%s and %s differ', (one, other, trait) => {
    expect(differing(one, other)).toContain(trait);
  });

  it.each([
    ['Bolt 8 mm', 'bolt 8mm'],
    ['Bolt 8 mm', 'Bolt, 8 milímetros'],
    ['Helmet, Red', 'Helmet rojo'],
    ['Jersey XL', 'Jersey extra large'],
    ['Cable 1,5 m', 'CABLE 1.5M'],
    ['Tubo 10 x 20', 'Tubo 10×20'],
    ['Tubo 1/2"', 'tubo ½ pulgada'],
    ['', 'Tornillo de acero'],
    ["Men's Shorts", 'Mens shorts'],
    ['Jabón 5 L', 'Jabon 5 litros'],
  ])('%s and %s do not differ', (one, other) => {
    expect(differing(one, other)).toEqual([]);
  });

  it.each([
    ['Frame, black', 'BLACK frame'],
    ['Jabón líquido 5 L', 'jabon liquido 5l'],
    ['Tubo 1/2"', 'tubo ½ pulgada'],
    ['Hex\u00a0nut', 'Hex nut'],
  ])('%s and %s have the same key', (one, other) => {
    expect(partsOf(one).key).toBe(partsOf(other).key);
  });

  it.each([
    ['Shorts, S', 'Shorts, M'],
    ['Bolt 1.5', 'Bolt 15'],
    ['Frame', 'Frame set'],
  ])('%s and %s have different keys', (one, other) => {
    expect(partsOf(one).key).not.toBe(partsOf(other).key);
  });
});

describe('the key of a code', () => {
  it.each(['HB-12', 'hb-12', 'HB 12', 'HB12', 'HB_12', 'HB–12', ' hb.12 ', 'HB\u200b-12'])(
    '%j',
    (code) => {
      expect(codeKeyOf(code)).toBe('hb12');
    },
  );

  it.each([
    ['1-12', '11-2'],
    ['AR-53-81', 'AR-5381'],
    ['007', '7'],
    ['O-1', '0-1'],
  ])('differs between %s and %s', (one, other) => {
    expect(codeKeyOf(one)).not.toBe(codeKeyOf(other));
  });
});
