import { wizard } from '../../wizard/commands/wizard.ts';
import { create } from './create.ts';
import { groupAdd } from './group/add.ts';
import { groupRemove } from './group/remove.ts';
import { importRequisitions } from './import.ts';
import { itemAdd } from './item/add.ts';
import { itemList } from './item/list.ts';
import { itemRemove } from './item/remove.ts';
import { list } from './list.ts';

export const commands = [
  create,
  list,
  wizard,
  groupAdd,
  groupRemove,
  itemAdd,
  itemList,
  itemRemove,
  importRequisitions,
];
