import { userInfo } from 'node:os';

/**
 * The name of the account that runs the tests.
 *
 * @param nameless what proc reports instead if the account has a number and no name
 */
export function accountName(nameless = 'unknown'): string {
  try {
    return userInfo().username;
  } catch {
    return nameless;
  }
}
