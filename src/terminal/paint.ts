import { $, bold, cyan, dim, green, red, yellow } from 'kleur/colors';

type Brush = (text: string) => string;

/** Brushes that colour, or leave the text alone. */
export interface Paint {
  readonly bold: Brush;
  readonly dim: Brush;
  readonly red: Brush;
  readonly yellow: Brush;
  readonly green: Brush;
  readonly cyan: Brush;
}

const same: Brush = (text) => text;
const PLAIN: Paint = { bold: same, dim: same, red: same, yellow: same, green: same, cyan: same };

/** Brushes for a stream, given whether it gets colour (`Terminal.color`). */
export function paint(color: boolean): Paint {
  if (!color) return PLAIN;
  // kleur guesses from the process; here the terminal has already decided, per stream.
  $.enabled = true;
  return { bold, dim, red, yellow, green, cyan };
}
