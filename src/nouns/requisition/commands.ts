import { draftDiscard } from '../../wizard/commands/draft/discard.ts';
import { draftEdit } from '../../wizard/commands/draft/edit.ts';
import { draftList } from '../../wizard/commands/draft/list.ts';
import { draftShow } from '../../wizard/commands/draft/show.ts';
import { draftSubmit } from '../../wizard/commands/draft/submit.ts';
import { wizard } from '../../wizard/commands/wizard.ts';
import { create } from './create.ts';
import { groupAdd } from './group/add.ts';
import { groupRemove } from './group/remove.ts';
import { importRequisitions } from './import.ts';
import { itemAdd } from './item/add.ts';
import { itemList } from './item/list.ts';
import { itemRemove } from './item/remove.ts';
import { list } from './list.ts';
import { show } from './show.ts';

export const commands = [
  create,
  list,
  show,
  wizard,
  draftList,
  draftShow,
  draftEdit,
  draftSubmit,
  draftDiscard,
  groupAdd,
  groupRemove,
  itemAdd,
  itemList,
  itemRemove,
  importRequisitions,
];
