// Generates the screens of docs/output.md: what the built program shows on terminals of three widths.
import { screenOf } from '../test/support/screen.ts';
import type { SandboxTerminal } from './sandbox-terminal.ts';

const WIDTHS = [60, 100, 160] as const;

/** Text that differs in every run, and the fixed text that replaces it. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\b\d{8}-\d{6}-[\da-f]{4}\b/g, '20260301-093000-1a2b'],
  [/\bh-[a-z\d]{6}\b/g, 'h-7k3mqd'],
  [/\(\d+(\.\d+)? s\)/g, '(0.8 s)'],
];

export async function screens(terminal: SandboxTerminal): Promise<string> {
  const parts: string[] = [];
  for (const width of WIDTHS) {
    const codes = [1, 2, 3].map((n) => `B${width}-${n}`);
    terminal.writeFile(
      `bolts-${width}.csv`,
      ['name,code', ...codes.map((code) => `Bolt ${code},${code}`)].join('\n'),
    );
    const shown: string[] = [];
    for (const line of [
      'proc orders list --status rejected --order-by amount:desc --limit 3',
      'proc orders summary',
      `proc requisition create --title "Desks for ${width}" --group delivery=pickup --new-item name=Desk,quantity=3`,
      `proc items import bolts-${width}.csv --yes`,
      'proc history list --limit 1',
      `proc imports list --where source=bolts-${width}.csv`,
    ]) {
      const text = screenOf(await terminal.received({ line }, width), width);
      shown.push(`$ ${line}\n${text.trimEnd()}`);
    }
    parts.push(`### ${width} columns\n\n\`\`\`screen\n${shown.join('\n\n')}\n\`\`\``);
  }
  return VARYING.reduce(
    (text, [pattern, fixed]) => text.replace(pattern, fixed),
    parts.join('\n\n'),
  );
}
