import { describe, expect, it } from 'vitest';
import { describeTerminal } from '../../../src/terminal/terminal.ts';
import { memoryStreams } from '../../support/streams.ts';

const FLAGS = { noInput: false };
const onTerminal = (env: Record<string, string> = {}, flags: object = FLAGS) =>
  describeTerminal(memoryStreams({ terminal: true, columns: 120 }), env, { ...FLAGS, ...flags });

describe('asking', () => {
  it('needs stdin and stderr to be terminals; stdout may be piped', () => {
    const interactive = (terminal: object) =>
      describeTerminal(memoryStreams({ terminal }), {}, FLAGS).interactive;
    expect(interactive({ stdin: true, stderr: true })).toBe(true);
    expect(interactive({ stdin: true, stdout: true })).toBe(false);
    expect(interactive({ stdout: true, stderr: true })).toBe(false);
  });

  it.each([
    ['CI', 'true'],
    ['CI', '1'],
    ['PROC_NO_INPUT', '1'],
    ['CI', 'woodpecker'],
  ])('%s=%s forbids it', (name, value) => {
    expect(onTerminal({ [name]: value }).interactive).toBe(false);
  });

  it.each(['', '0', 'false'])('CI=%s does not', (value) => {
    expect(onTerminal({ CI: value }).interactive).toBe(true);
  });

  it('is forbidden by --no-input', () => {
    expect(onTerminal({}, { noInput: true }).interactive).toBe(false);
  });
});

describe('width', () => {
  it('is that of stdout, or 80 if unknown', () => {
    expect(onTerminal().width).toBe(120);
    expect(describeTerminal(memoryStreams(), {}, FLAGS).width).toBe(80);
    expect(describeTerminal(memoryStreams({ terminal: true, columns: 0 }), {}, FLAGS).width).toBe(
      80,
    );
  });
});

describe('colour', () => {
  it('is for terminals, decided for each stream', () => {
    const streams = memoryStreams({ terminal: { stderr: true } });
    expect(describeTerminal(streams, {}, FLAGS).color).toEqual({ stdout: false, stderr: true });
  });

  it.each([
    [{ NO_COLOR: '1' }, {}, false],
    [{ NO_COLOR: '' }, {}, true],
    [{ TERM: 'dumb' }, {}, false],
    [{ TERM: 'dumb', FORCE_COLOR: '1' }, {}, true],
    [{ FORCE_COLOR: '0' }, {}, false],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, {}, false],
    [{ NO_COLOR: '1' }, { color: 'always' }, true],
    [{ FORCE_COLOR: '1' }, { color: 'never' }, false],
  ])('%j with flags %j: %s', (env, flags, expected) => {
    expect(onTerminal(env as unknown as Record<string, string>, flags).color.stdout).toBe(expected);
  });

  it('is sent to a pipe if FORCE_COLOR or --color always says so', () => {
    expect(describeTerminal(memoryStreams(), { FORCE_COLOR: '' }, FLAGS).color.stdout).toBe(true);
    const always = { ...FLAGS, color: 'always' as const };
    expect(describeTerminal(memoryStreams(), {}, always).color.stdout).toBe(true);
  });
});
