import { command } from '../../core/command.ts';
import { runningSandbox } from '../server/registration.ts';

export const status = command({
  path: ['sandbox', 'status'],
  changes: 'nothing',
  prints: 'record',
  summary: 'Show whether a sandbox is running, and where',
  examples: [
    { run: 'proc sandbox status', doc: 'exits 0 either way; the field "running" says which' },
    { run: 'proc sandbox status -q running', doc: 'true or false, for a script' },
  ],
  needs: ['self'],
  async run(_, ports) {
    const running = await runningSandbox(ports.self.env);
    if (running === undefined) return { kind: 'record', value: { running: false } };
    const { url, pid, port, db, key } = running;
    return { kind: 'record', idField: 'url', value: { running: true, url, pid, port, db, key } };
  },
});
