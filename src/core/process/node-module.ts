import { getBuiltinModule } from 'node:process';

/** A module of Node, loaded when first needed. An import at the top of a file would slow every start. */
export const nodeModule = getBuiltinModule;
