import { command } from '../../../core/command.ts';
import { openSettings } from '../../read/open-settings.ts';

export const path = command({
  path: ['config', 'path'],
  changes: 'nothing',
  prints: 'text',
  summary: 'Print the path of the configuration file',
  examples: [
    { run: 'proc config path', doc: 'Whether the file exists or not' },
    { run: 'proc config path --out path.txt', doc: 'Into a file' },
  ],
  needs: ['self'],
  async run(_input, ports) {
    return { kind: 'text', text: `${openSettings(ports.self).path}\n` };
  },
});
