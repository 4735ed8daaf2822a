/**
 * Which hooks guard which operation, as a page.
 * @param {Readonly<Record<string, { readonly hooks: readonly string[], readonly guards: readonly
 * string[], readonly upsertGuards?: readonly string[] }>>} operations
 */
export function hooksDocument(operations) {
  const cells = Object.entries(operations).map(
    ([operation, { guards, hooks, upsertGuards = [] }]) => [
      `\`${operation}\``,
      [...listed(guards), ...listed(upsertGuards).map((name) => `${name} (with \`upsert\`)`)].join(
        ', ',
      ),
      listed(hooks).join(', '),
    ],
  )
  const heads = ['operation', 'guards of other operations', 'hooks of its own']
  const widths = heads.map((_, column) =>
    Math.max(...[heads, ...cells].map((row) => (row[column] ?? '').length)),
  )
  const line = (/** @type {readonly string[]} */ row) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [
    '# Which hooks guard which operation',
    '',
    'Made from `src/rule/operations.ts` by `npm run hooks`. Both phases follow this table: hooks of `any` run first, then the guards of other',
    'operations, then the hooks of the operation itself. A function that stands under several names of a model runs once for the same items of it.',
    '',
    line(heads),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...cells.map(line),
    '',
    'A `Batch` runs the hooks of `any` that the router itself has, and then all hooks of each operation in it.',
    '',
    '## Other models, and other items of the same',
    '',
    'A request also runs the hooks `any` and `getItem` of every other model that it reads from or writes to, before the store is asked. Their context is about that',
    'model: its `rule` is how such an item is asked for by itself, and it has no `id`, for nobody knows yet which items are meant. A function that several models share runs for',
    'each of them. Where a request is about one item and leads to others of the same model (`/users/1/boss`), the hooks of that model run once more, without an `id`. Only the',
    'hooks of `any` that the router itself has run once for a request: they check the request; what decides by the model or the `id` is registered for the model. A request',
    'reads from another model where',
    '',
    '- its address leads through a relation to items of that model (`/books/1/author`, `/books/1/relationships/author`); a list of related items runs `getList` too;',
    '- `include` names a relation to it;',
    '- `filter` or `sort` pass through a relation to it (`author.name`), or compare an inverse relation, which the other model holds;',
    '- its body names an item of that model, or changes an inverse relation;',
    '- it is an action, which gets the item with all that it relates to;',
    '- it answers with items that lead to that model, and query hooks of that model hide some of its items, or a mapper gets what the item relates to.',
    '',
    'The last two do not count for the own model of a request about one item: its hooks ran already, and what mappers and actions tell of other items is for the service to say.',
    'Query hooks of the items that a request leads to get such a context too: the `rule` of their own model, and no `id`. Those of the item in the path keep its `id`; where the',
    'address leads on through a relation, `rule.view` is about that item in them, and `rule.through` names the relation.',
    '',
    'An identifier that an item holds itself (`author` of a book) is part of that item: to read, compare or clear it reads nothing of the author.',
    'What `onDelete` does to the items that refer to a deleted one is declared by the model, not asked for by the caller: no hooks of theirs run.',
    '',
    '## Changes of other items',
    '',
    'A write to an inverse relation changes the items that hold it. For each of them all hooks of `UpdateItem` of its model run, in both phases, with its `id` and',
    'its `UpdateItem` in the context: also for items of the same model as the one that the request is about. The query hooks of `create` are asked about the outcome likewise.',
    '',
  ].join('\n')
}

/** @param {readonly string[]} names */
function listed(names) {
  return names.map((name) => `\`${name}\``)
}
