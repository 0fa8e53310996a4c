import { describe, expect, it } from 'vitest';
import { createSay, describeTerminal } from '../../../src/terminal/terminal.ts';
import { writeNow } from '../../../src/terminal/write.ts';
import { memoryStreams } from '../../support/streams.ts';

function saying(options: { terminal?: boolean; json?: boolean; quiet?: boolean } = {}) {
  const streams = memoryStreams({ terminal: options.terminal ?? false, columns: 20 });
  const terminal = describeTerminal(streams, {}, { noInput: false });
  const say = createSay({
    streams,
    terminal,
    json: options.json ?? false,
    quiet: options.quiet ?? false,
  });
  return { say, streams };
}

const WARNING = { kind: 'warning', text: 'careful\u001b[2J' } as const;
const NOTICE = { kind: 'notice', text: 'done' } as const;
const PROGRESS = { kind: 'progress', text: '1 of 2', data: { done: 1 } } as const;
const HTTP = { kind: 'http', text: 'GET /orders/ 200', data: { status: 200 } } as const;

describe('messages for people', () => {
  it('are lines on stderr, without controls, and nothing on stdout', () => {
    const { say, streams } = saying();
    for (const message of [WARNING, NOTICE, PROGRESS, HTTP]) say(message);
    expect(streams.stderrText()).toBe(
      'warning: careful\\u001b[2J\ndone\n1 of 2\nGET /orders/ 200\n',
    );
    expect(streams.stdoutText()).toBe('');
  });

  it('colour warnings on a terminal only', () => {
    const { say, streams } = saying({ terminal: true });
    say(WARNING);
    expect(streams.stderrText()).toBe(
      '\u001b[1m\u001b[33mwarning:\u001b[39m\u001b[22m careful\\u001b[2J\n',
    );
  });

  it('name a protected target once, however many steps print it', () => {
    const { say, streams } = saying();
    const line = { kind: 'notice', tone: 'protected' } as const;
    for (const name of ['staging', 'staging', 'production'])
      say({ ...line, text: `▸ acme · ${name}` });
    expect(streams.stderrText()).toBe('▸ acme · staging\n▸ acme · production\n');
  });

  it('replace progress by progress on a terminal, cut to its width', () => {
    const { say, streams } = saying({ terminal: true });
    say(PROGRESS);
    say({ ...PROGRESS, text: '2 of 2 and much more than fits' });
    expect(streams.stderrText()).toBe('1 of 2\n\u001b[1A\r\u001b[2K2 of 2 and much mo…\n');
  });

  it('do not overwrite what was printed after the progress', () => {
    const { say, streams } = saying({ terminal: true });
    say(PROGRESS);
    writeNow(streams.stdout, 'data\n');
    say(PROGRESS);
    say(NOTICE);
    say(PROGRESS);
    expect(streams.stderrText()).toBe('1 of 2\n1 of 2\ndone\n1 of 2\n');
  });
});

describe('messages for scripts', () => {
  it('are JSON lines', () => {
    const { say, streams } = saying({ json: true });
    for (const message of [WARNING, NOTICE, PROGRESS, HTTP]) say(message);
    expect(
      streams
        .stderrText()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { warning: 'careful\u001b[2J' },
      { notice: 'done' },
      { progress: { done: 1 } },
      { http: { status: 200 } },
    ]);
  });
});

it('--quiet drops notices and progress, not warnings', () => {
  for (const json of [true, false]) {
    const { say, streams } = saying({ json, quiet: true });
    for (const message of [NOTICE, PROGRESS, WARNING]) say(message);
    expect(streams.stderrText().trim().split('\n')).toHaveLength(1);
    expect(streams.stderrText()).toContain('careful');
  }
});
