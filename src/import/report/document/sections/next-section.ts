import type { Block, Section } from '../../../../core/document/document.ts';
import type { RunContent } from './row-table.ts';

export function nextSection({ report, words: { next } }: RunContent): Section {
  const { steps, rejectedFile = '' } = report;
  const blocks = steps.flatMap(({ what, rows, command }): readonly Block[] => {
    const text =
      what === 'writeRejected'
        ? next.writeRejected
        : what === 'repair'
          ? next.repair(rows, rejectedFile)
          : next[what](rows);
    return [
      { kind: 'text', text },
      { kind: 'command', text: command },
    ];
  });
  return {
    title: next.title,
    blocks: blocks.length > 0 ? blocks : [{ kind: 'text', text: next.nothing }],
  };
}
