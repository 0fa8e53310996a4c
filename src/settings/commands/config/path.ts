import { command } from '../../../core/command.ts';
import { openSettings } from '../../read/open-settings.ts';

export const path = command({
  path: ['config', 'path'],
  changes: 'nothing',
  prints: 'text',
  summary: 'Print the path of the configuration file',
  examples: [
    { run: 'proc config path', doc: 'the path, even if the file does not exist' },
    { run: 'proc config path', doc: 'write the path to a file' },
  ],
  needs: ['self'],
  async run(_input, ports) {
    return { kind: 'text', text: `${openSettings(ports.self).path}\n` };
  },
});
