import { login } from './login.ts';
import { logout } from './logout.ts';
import { status } from './status.ts';

export const commands = [login, logout, status];
