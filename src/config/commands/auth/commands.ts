import { login } from './login.ts';
import { logout } from './logout.ts';

export const commands = [login, logout];
