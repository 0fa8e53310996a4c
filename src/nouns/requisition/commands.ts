import { create } from './create.ts';
import { draftDiscard } from './draft/discard.ts';
import { draftEdit } from './draft/edit.ts';
import { draftList } from './draft/list.ts';
import { draftShow } from './draft/show.ts';
import { draftSubmit } from './draft/submit.ts';
import { groupAdd } from './group/add.ts';
import { groupRemove } from './group/remove.ts';
import { importRequisitions } from './import.ts';
import { itemAdd } from './item/add.ts';
import { itemList } from './item/list.ts';
import { itemRemove } from './item/remove.ts';
import { show } from './show.ts';
import { wizard } from './wizard.ts';

export const commands = [
  create,
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
