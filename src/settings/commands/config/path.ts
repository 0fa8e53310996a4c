import { command } from '../../../core/command.ts';

export const path = command({
  path: ['config', 'path'],
  changes: 'nothing',
  prints: 'text',
  summary: 'Print the path of the configuration file',
  examples: [
    { run: 'proc config path', doc: 'Whether the file exists or not' },
    { run: 'proc config path --out path.txt', doc: 'Into a file' },
  ],
  async handler(_input, ctx) {
    return { kind: 'text', text: `${(await ctx.settings()).path}\n` };
  },
});
