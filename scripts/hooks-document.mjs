/**
 * Which hooks guard which operation, as a page.
 * @param {Readonly<Record<string, { readonly hooks: readonly string[], readonly guards: readonly string[], readonly upsertGuards?: readonly string[] }>>} operations
 */
export function hooksDocument(operations) {
  const cells = Object.entries(operations).map(([operation, { guards, hooks, upsertGuards = [] }]) => [
    `\`${operation}\``,
    [...listed(guards), ...listed(upsertGuards).map((name) => `${name} (with \`upsert\`)`)].join(', '),
    listed(hooks).join(', '),
  ])
  const heads = ['operation', 'guards of other operations', 'hooks of its own']
  const widths = heads.map((_, column) => Math.max(...[heads, ...cells].map((row) => (row[column] ?? '').length)))
  const line = (/** @type {readonly string[]} */ row) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [
    '# Which hooks guard which operation',
    '',
    'Made from `src/rule/operations.ts` by `npm run hooks`. Both phases follow this table: hooks of `any` run first, then the guards of other',
    'operations, then the hooks of the operation itself. A function that stands under several names, or in several models, runs once for a request.',
    '',
    line(heads),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...cells.map(line),
    '',
    'A `Batch` runs the hooks of `any` that the router itself has, and then all hooks of each operation in it.',
    '',
    '## Other models',
    '',
    'A request also runs the hooks `any` and `getItem` of every other model that it reads from or writes to, before the store is asked. Their context is about that',
    'model: its `rule` is how such an item is asked for by itself, and it has no `id`, for nobody knows yet which items are meant. A hook that several models share runs once,',
    'for the first of them; one that decides by the model is registered for each model as a function of its own. A request reads from another model where',
    '',
    '- its address leads through a relation to items of that model (`/books/1/author`, `/books/1/relationships/author`); a list of related items runs `getList` too;',
    '- `include` names a relation to it;',
    '- `filter` or `sort` pass through a relation to it (`author.name`), or compare an inverse relation, which the other model holds;',
    '- its body names an item of that model, or changes an inverse relation;',
    '- it is an action, which gets the item with all that it relates to;',
    '- it answers with items that lead to that model, and query hooks of that model hide some of its items, or a mapper gets what the item relates to.',
    '',
    'An identifier that an item holds itself (`author` of a book) is part of that item: to read, compare or clear it reads nothing of the author.',
    'What `onDelete` does to the items that refer to a deleted one is declared by the model, not asked for by the caller: no hooks of theirs run.',
    '',
    '## Changes of other items',
    '',
    'A write to an inverse relation changes the items that hold it. For each of them all hooks of `UpdateItem` of its model run, with its `id` in the context.',
    '',
  ].join('\n')
}

/** @param {readonly string[]} names */
function listed(names) {
  return names.map((name) => `\`${name}\``)
}
