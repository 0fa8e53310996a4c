import { inShell } from '../core/text/typed.ts';

export const en = {
  welcome:
    'A new requisition, step by step. Every answer is saved at once: press Ctrl-C to leave, and resume later.',
  noSending: (place: string) =>
    `${place} has the access level stage: you can prepare a draft, but not send it.`,
  /** Printed once at the start. Plain prompts (`ACCESSIBLE`) do not filter, so they print only `back`. */
  hint: {
    lists: 'Lists filter as you type.',
    back: 'To go back to the previous question, answer "<".',
  },
  back: '< Back to the previous question',
  firstQuestion: 'This is the first question.',
  resume: {
    question: 'You have drafts. Resume one?',
    draft: (title: string, age: string) => `${title}, ${age}`,
    unconfirmed: (draft: string) => `${draft}; sent, outcome unknown`,
    fresh: 'No, start a new one',
    untitled: 'untitled',
    /** `place` is a group, or a group and an item. */
    at: (place: string) => `In ${place}:`,
  },
  sending: 'Sending the requisition.',
  kept: (id: string) =>
    `Saved as draft ${id}. To resume: proc requisition draft edit ${inShell(id)}`,
  forked: (old: string, id: string) =>
    `Another wizard has changed draft ${old}; this wizard saves your answers as draft ${id}`,
  heading: {
    title: 'Title of the requisition',
    titleNeeded: 'A title is needed.',
    type: 'Type (empty for none)',
    sector: 'Sector',
    sectorTyped: 'Sector: id, key or name (empty for none)',
    noSector: 'No sector',
    code: 'Your code for the requisition (empty for none)',
    /** For a question that already has an answer: adds how to keep or remove the answer. */
    orNone: (question: string) =>
      `${question.replace(/ \(empty for none\)$/, '')} (Enter keeps it, "-" for none)`,
  },
  group: {
    name: (number: string) => `Name of group ${number}, e.g. a place (empty for none)`,
    delivery: 'How is it delivered?',
    pickup: 'Pickup',
    deliver: 'Delivery to an address',
    address: 'Delivery address',
    addressId: 'Address: id or alias (empty for none)',
    noneKnown:
      'The service cannot list addresses, and you have not used one yet. Type an id if you have one, or leave it empty.',
    otherAddress: 'Another address, by id',
    noAddress: 'No address',
    isAt: (address: string) => `Address: ${address}`,
    unknownAddress: (id: string) => `The service has no address "${id}".`,
    untitled: (number: string) => `group ${number}`,
  },
  lines: {
    first: (group: string) => `What goes into ${group}?`,
    more: (group: string) => `Anything else for ${group}?`,
    search: 'Search for an item',
    paste: 'Paste a list',
    done: 'Done with this group',
    change: 'Change a line or the group',
    item: 'Item (type part of its code or name)',
    itemFor: (text: string) => `Item for "${text}" (type part of its code or name)`,
    define: 'Define a new item',
    defineAs: (name: string) => `Define "${name}" as a new item`,
    typed: (code: string) => `The item with the code ${code}`,
    similar: (item: string) => `Similar: ${item}`,
    nothing: 'None, go back',
    reading: 'Reading the catalogue.',
    quantity: (item: string) => `How many of ${item}?`,
    quantityMissing: 'Enter a quantity: a whole number above 0, e.g. 4.',
    quantityWrong: (typed: string) => `"${typed}" is not a whole number above 0.`,
    pasteHere:
      'Paste or type a list with one item per line, e.g. "12 x AR-5381", "AR-5381;12" or spreadsheet columns. End it with an empty line or Ctrl-D:',
    openList: {
      question: (group: string, count: string, last: string) =>
        `A list for ${group} is unfinished (lines: ${count}, the last one "${last}"). What now?`,
      take: 'Use these lines',
      goOn: 'Continue the list',
      discard: 'Discard these lines',
    },
    pasted: (sure: string, open: string) => `Items found: ${sure}. Still to choose: ${open}.`,
    pastedNothing: 'The list is empty.',
    doubtful: (text: string) => `Which item does "${text}" mean?`,
    leaveOut: 'Skip this line',
    /** The list of skipped lines follows. */
    leftOut: 'Not ordered, because you skipped it:',
    searchFor: 'Search the catalogue',
  },
  same: {
    question: (item: string, old: string, now: string, group: string) =>
      `${item} is already in ${group} (${old}), and this line orders ${now}. What do you want?`,
    add: (sum: string) => `Add them up: ${sum}`,
    replace: (now: string) => `Use the new quantity: ${now}`,
    leave: (old: string) => `Keep the old quantity: ${old}`,
    separate: (old: string, now: string) => `Two lines: ${old} and ${now}`,
    forAll: (count: string) => `Do the same for the other repeated lines (${count})?`,
  },
  twice: {
    question: (name: string) =>
      `"${name}" is new and has no code. Two lines define it, which would create two items that cannot be deleted. What do you want?`,
    together: (sum: string, group: string) => `One line: ${sum}, in ${group}`,
    codes: 'Two items, each with its own code',
    two: (name: string) => `Two items named "${name}", without codes`,
  },
  failed: {
    refused: 'The service refused the requisition:',
    unreachable: 'Cannot reach the service:',
    broken: 'The service failed:',
    notSent: 'Not sent:',
    kept: (id: string) =>
      `Nothing is lost: draft ${id} has all your answers. Try again now, or later with: proc requisition draft edit ${inShell(id)}`,
    tryAgain: 'Try again?',
    tryingAgain: 'Retrying.',
  },
  item: {
    name: 'Name of the new item',
    nameNeeded: 'A new item needs a name.',
    code: 'Code of the new item (empty for none)',
    unitOfMeasure: 'Unit of measure, e.g. EA or KG (empty for none)',
    more: 'Further details? Select the ones to enter',
    description: 'Description (empty for none)',
    brand: 'Brand (empty for none)',
    material: 'Material (empty for none)',
    certification: 'Certification (empty for none)',
    type: 'Type of item (empty for none)',
    exists: (code: string, item: string) =>
      `The code ${code} already exists: ${item}. Use that item instead?`,
    resolved: (code: string) =>
      `Item ${code} now exists: the line refers to it and does not define it again.`,
    taken: (code: string) =>
      `The catalogue already has the code ${code}: on an item with another name, or on several items. Which item do you want on this line?`,
    take: (item: string) => `Order ${item}`,
    otherCode: 'Give the new item another code',
    unnamed: 'new item',
  },
  fields: {
    description: 'description',
    brand: 'brand',
    material: 'material',
    certification: 'certification',
    type: 'type of item',
  },
  again: {
    leftOut: (fields: string) => `The wizard only supports documented fields. Left out: ${fields}`,
    intro: (title: string) => `Ordering again: ${title}`,
    gone: (item: string) => `The catalogue no longer has ${item}, which was ordered last time.`,
    isNew: (item: string) =>
      `The catalogue does not have ${item}. The earlier requisition defined it as a new item, and so does this one.`,
    quantities: 'Which quantities do you want to change?',
    quantity: (item: string) => `How many of ${item}? (0 removes it)`,
    numberMissing: 'Enter a whole number, e.g. 4; 0 removes the item.',
    notNumber: (typed: string) => `"${typed}" is not a whole number.`,
  },
  review: {
    heading: 'Your requisition',
    question: 'What now?',
    /** `place` is e.g. `acme · production`. */
    submit: (place: string) => `Send it to ${place}`,
    fix: (problem: string) => `Fix: ${problem}`,
    title: 'Change the title',
    type: 'Change the type',
    sector: 'Change the sector',
    code: 'Change the code',
    group: (group: string, lines: string) => `Change ${group} (lines: ${lines})`,
    addGroup: 'Add a group',
    save: 'Save it to a file',
    leave: 'Save it as a draft and exit',
    labels: { title: 'Title', type: 'Type', sector: 'Sector', code: 'Code' },
    columns: { position: '#', code: 'CODE', item: 'ITEM', quantity: 'QUANTITY' },
    pickup: 'pickup',
    delivery: 'delivery',
    isNew: (name: string) => `${name} (new)`,
    open: 'not chosen yet',
  },
  problems: {
    title_missing: 'the title is missing',
    no_groups: 'there is no group',
    delivery_missing: 'the delivery method is missing',
    no_lines: 'a group has no items',
    list_open: 'a list is unfinished',
    item_missing: 'a line has no item',
    name_missing: 'a new item has no name',
    quantity_invalid: 'a quantity is missing',
    defined_twice: 'a new item is defined twice with the same code',
    defined_again: 'a new item without a code would be defined twice',
  },
  menu: {
    group: (group: string) => `What do you want to change in ${group}?`,
    line: (line: string) => `What do you want to change in ${line}?`,
    back: 'Go back',
    name: 'Change the name',
    delivery: 'Change the delivery method',
    address: 'Change the address',
    duplicate: 'Make a copy',
    move: 'Move',
    remove: 'Remove',
    quantity: 'Change the quantity',
    item: 'Choose another item',
    details: 'Change the details of the new item',
    before: (other: string) => `Before ${other}`,
    last: 'At the end',
    toGroup: (group: string) => `To ${group}`,
    where: 'Move where?',
    whichField: 'Change which detail?',
  },
  save: {
    file: 'File name',
    exists: (file: string) => `${file} already exists. Overwrite it?`,
    saved: (file: string) => `Saved: ${file}`,
    command: 'The requisition as one command:',
  },
  consent: {
    unknown: (id: string, age: string) =>
      `This requisition was sent ${age}, and the outcome is unknown (${id}). If it arrived, sending it again orders everything twice, and a requisition cannot be undone. Check first: proc history show ${inShell(id)}`,
    type: (word: string) => `To send it anyway, type ${word}:`,
    word: 'TWICE',
    refused: (word: string) => `Not sent. To send it, type ${word}.`,
    created: (requisition: string, age: string) =>
      `This requisition was created ${age} as ${requisition}, so proc does not send it again.`,
    changed: {
      explanation: (requisition: string, age: string, id: string) =>
        `This draft was sent ${age} and created ${requisition}. It has changed since, and ${requisition} does not have these changes. To see what was created: proc history show ${inShell(id)}`,
      question: 'What do you want to do with the changed draft?',
      keep: 'Keep it and send nothing',
      another: 'Send it as another requisition',
      discard: (requisition: string) => `Discard the draft: ${requisition} is enough`,
    },
  },
  /** Two commands follow. */
  next: 'To see it, and to order it again:',
  discard: (title: string) => `Discard the draft "${title}"?`,
};

export type WizardMessages = typeof en;
