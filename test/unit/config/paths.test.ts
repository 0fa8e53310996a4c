import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { configDir, configFile, stateDir } from '../../../src/store/folder.ts';

describe.runIf(process.platform !== 'win32')('folders', () => {
  it.each([
    [{ HOME: '/h' }, '/h/.config/proc', '/h/.local/state/proc'],
    [{ HOME: '/h', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' }, '/c/proc', '/s/proc'],
    [
      { HOME: '/h', XDG_CONFIG_HOME: 'c', XDG_STATE_HOME: 's' },
      '/h/.config/proc',
      '/h/.local/state/proc',
    ],
    [
      { HOME: '/h', XDG_CONFIG_HOME: '/c', PROC_CONFIG_DIR: '/p', PROC_STATE_DIR: '/q' },
      '/p',
      '/q',
    ],
    [
      { HOME: '/h', PROC_CONFIG_DIR: '', PROC_STATE_DIR: '' },
      '/h/.config/proc',
      '/h/.local/state/proc',
    ],
    [{}, `${homedir()}/.config/proc`, `${homedir()}/.local/state/proc`],
  ])('%j', (env, config, state) => {
    expect(configDir(env)).toBe(config);
    expect(configFile(env)).toBe(`${config}/config.json`);
    expect(stateDir(env)).toBe(state);
  });
});
