/** The commands of this room, by noun; `cli/registry.ts` lists them. */
export { authCommands } from './auth/commands.ts';
export { configCommands } from './config/commands.ts';
export { profileCommands } from './profile/commands.ts';
export { setupCommands } from './setup.ts';
