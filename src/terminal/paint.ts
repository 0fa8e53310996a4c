import { $, bold, cyan, dim, green, red, yellow } from 'kleur/colors';

type Brush = (text: string) => string;

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

export function paint(color: boolean): Paint {
  if (!color) return PLAIN;
  // Overrides kleur's own detection: colour is decided per stream in `terminal.ts`.
  $.enabled = true;
  return { bold, dim, red, yellow, green, cyan };
}
