/**
 * @typedef {object} HookedOperation
 * @property {string} scope
 * @property {readonly string[]} hooks
 * @property {readonly string[]} guards
 * @property {readonly string[]} [upsertGuards]
 * @property {string} creates
 * @property {boolean} changesItems
 *
 * @typedef {Readonly<Record<string, HookedOperation>>} Operations
 */

/**
 * The page docs/hooks.md, from the table of operations.
 * @param {Operations} operations
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
  const heads = ['operation', 'guards of other operations', 'own hooks']
  const widths = heads.map((_, column) =>
    Math.max(...[heads, ...cells].map((row) => (row[column] ?? '').length)),
  )
  const line = (/** @type {readonly string[]} */ row) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [
    '# Which hooks run for which operation',
    '',
    '`npm run hooks` makes this page from `src/rule/operations.ts`.',
    'Both phases follow this table: first the hooks of `any`, then the guards of other operations, then the hooks of the operation itself.',
    'A function that is registered under several names of a model runs once for the same items.',
    '',
    line(heads),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...cells.map(line),
    '',
    'A `Batch` runs the `any` hooks of the router, and then all hooks of each of its operations.',
    '`GetFeed` does so with the hooks of `GetChanges` of each of its models.',
    '',
    '## Other models, and other items of the same model',
    '',
    'A request also runs the hooks `any`, `read` and `getItem` of every other model that it reads from or writes to, before it queries the store.',
    'The context of such a hook belongs to that model: its `rule` is the one for a single item of it, and it has no `id`, because the items are not known yet.',
    'A function that several models share runs for each of them.',
    'If a request is about one item and leads to other items of the same model (`/users/1/boss`), the hooks of that model run again, without an `id`.',
    'Only the `any` hooks of the router run once for each request.',
    'They are for checks of the request; register a check that depends on the model or the `id` on the model.',
    '',
    'A request reads from another model if',
    '',
    '- its path leads through a relation to items of that model (`/books/1/author`, `/books/1/relationships/author`); for a list of related items the hooks of `getList` run too;',
    '- `include` names a relation to it;',
    '- `filter` or `sort` lead through a relation to it (`author.name`), or compare an inverse relation, which the other model stores;',
    '- its body has the id of an item of that model, or changes an inverse relation;',
    '- it is an action, which gets the item with all its related items;',
    '- its response has items with relations to that model, and access rules or query hooks of that model hide some of its items, or a mapper reads the related items.',
    '',
    'The last two do not apply to the model of a request about one item: its hooks have already run, and what mappers and actions show of other items is up to the service.',
    'The query hooks of the items that a request leads to get such a context too: the `rule` of their own model, and no `id`.',
    'The query hooks of the item in the path get its `id`; if the path leads on through a relation, `rule.view` is about that item, and `rule.target` names the relation.',
    '',
    'An id that an item stores itself (`author` of a book) is part of that item: to read, compare or clear it, no hooks of the author run.',
    'The model declares what `onDelete` does to items that refer to a deleted item, so no request or query hooks of those items run; hooks around writes do.',
    '',
    '## Changes of other items',
    '',
    'A write to an inverse relation changes the items that store it.',
    'For each of them all hooks of `UpdateItem` of its model run, in both phases, with its `id` and its `UpdateItem` rule in the context.',
    'This also applies to items of the same model as the one of the request.',
    'The query hooks of `create` check the result in the same way.',
    '',
  ].join('\n')
}

/**
 * What clients send for each operation.
 * @type {Readonly<Record<string, string>>}
 */
const requests = {
  GetList: 'GET a list',
  GetChanges: 'GET what changed in a list',
  GetGroups: 'GET the groups of a list',
  GetCapabilities: 'GET what the caller may do',
  GetItem: 'GET an item',
  CreateItem: 'POST an item',
  UpdateItem: 'PATCH an item',
  ReplaceItem: 'PUT an item',
  DeleteItem: 'DELETE an item',
  ItemMethodApiOperation: 'POST an action (a method)',
  ItemApiOperation: 'POST an action (`itemOperation`)',
  GetResource: 'GET a file',
  SetResource: 'POST a file',
  DeleteResource: 'DELETE a file',
  RelatedGet: 'GET related items (JSON:API)',
  RelationshipGet: 'GET a relationship (JSON:API)',
  RelationshipPost: 'POST to a relationship (JSON:API)',
  RelationshipPatch: 'PATCH a relationship (JSON:API)',
  RelationshipDelete: 'DELETE from a relationship (JSON:API)',
  GetVersions: 'GET the versions of an item',
  GetVersion: 'GET a version of an item',
  RestoreVersion: 'POST to restore a version',
  GetTrash: 'GET the trash',
  GetTrashedItem: 'GET an item in the trash',
  RestoreItem: 'POST to restore an item from the trash',
  PurgeItem: 'DELETE an item in the trash',
}

const start = '<!-- `npm run hooks` makes this table. -->'
const end = '<!-- end of the table -->'

/**
 * The page of the guide with its table of requests, phases and hooks.
 * @param {string} page
 * @param {Operations} operations
 * @param {readonly string[]} outcomeHooks
 */
export function guideWithHooks(page, operations, outcomeHooks) {
  const rows = Object.entries(operations)
    .filter(([, { scope }]) => scope !== 'router')
    .map(([operation, kind]) => {
      const request = requests[operation]
      if (request === undefined) throw new Error(`The operation '${operation}' has no request.`)
      const { guards, hooks, upsertGuards = [], creates, changesItems } = kind
      const isDeletion = operation === 'DeleteItem'
      return [
        request,
        ['any', ...guards, ...upsertGuards.map((name) => `${name}*`), ...hooks],
        creates === 'always' ? [] : ['any', ...guards, ...hooks],
        changesItems && !isDeletion ? outcomeHooks : [],
      ].map((cell) => (typeof cell === 'string' ? cell : listed(cell).join(', ')))
    })
  const table = [
    '| request | request hooks, in this order | query hooks that narrow | query hooks of the result |',
    '| --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row.join(' | ')} |`.replaceAll('*`', '`*')),
  ]
  const [before, rest] = page.split(start)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error(`The page has no '${start}' and '${end}'.`)
  return [before, start, '\n\n', table.join('\n'), '\n\n', end, after].join('')
}

/** @param {readonly string[]} names */
function listed(names) {
  return names.map((name) => `\`${name}\``)
}
