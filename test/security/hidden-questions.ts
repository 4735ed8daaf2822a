import { operators } from './hidden-world.ts'

/** Requests whose responses must not depend on hidden data. */
export const queries: readonly string[] = [
  '/api/works',
  '/api/works/k1',
  '/api/works/k2',
  '/api/works?include=writer',
  '/api/works?include=writer.works',
  '/api/works?sort=-title',
  '/api/works?sort=writer.name',
  '/api/works?sort=-writer.name,title&page[size]=1',
  '/api/works?page[size]=2&withCount=true',
  '/api/works?page[number]=2&page[size]=1',
  '/api/works?page[offset]=1&page[limit]=1&sort=title',
  '/api/works?fields[works]=title',
  '/api/works/k1?fields[works]=title',
  '/api/works/k1?include=writer,helpers',
  '/api/works?filter[title]=One&withCount=true',
  '/api/writers',
  '/api/writers/w1?include=works',
  '/api/notes',
  '/api/notes/n1',
  '/api/notes/n1?include=work.writer',
  '/api/notes/n1?fields[notes]=text',
]

/** Filters, sorts and includes through the hidden writer. */
export const towardsGhost = (guess: string): readonly string[] => {
  const relations = ['editor', 'writer']
  const filters = relations.flatMap((relation) =>
    operators.flatMap((operator) => {
      const suffix = operator === undefined ? '' : `[${operator}]`
      const value = operator === 'isNull' ? 'true' : guess
      return [
        `filter[${relation}.name]${suffix}=${value}`,
        `filter[${relation}.open]${suffix}=false`,
      ]
    }),
  )
  const expressions = relations.flatMap((relation) =>
    [
      'eq',
      'ne',
      'gt',
      'gte',
      'lt',
      'lte',
      'contains',
      'startsWith',
      'endsWith',
      'like',
      'iequals',
      'icontains',
      'istartsWith',
    ].flatMap((operator) => [
      `filter=${operator}(${relation}.name,'${guess}')`,
      `filter=not(${operator}(${relation}.name,'${guess}'))`,
      `filter=or(eq(title,'Two'),${operator}(${relation}.name,'${guess}'))`,
      `filter=not(and(eq(title,'One'),not(${operator}(${relation}.name,'${guess}'))))`,
    ]),
  )
  const linkage = relations.flatMap((relation) => [
    `filter[${relation}]=w9`,
    `filter[${relation}][ne]=w9`,
    `filter[${relation}][in]=w9,w8`,
    `filter[${relation}][nin]=w9`,
    `filter[${relation}.id]=w9`,
    `filter[${relation}.id][startsWith]=w`,
    `filter[${relation}.id][isNull]=true`,
    `filter=not(eq(${relation},'w9'))`,
    `filter=eq(${relation},null)`,
  ])
  return [
    ...filters,
    ...expressions,
    ...linkage,
    'filter[editor][isNull]=true',
    'filter[editor][isNull]=false',
    'filter[editor.works][any]=k1',
    'filter[helpers][any]=w9',
    'filter[helpers][any]=w9,w2',
    'filter[helpers][all]=w9',
    'filter[helpers][all]=w2,w9',
    `filter=not(any(helpers,'w9'))`,
    'sort=editor.name',
    'sort=-editor.name',
    'sort=editor.open,title',
    'sort=editor.id',
    'sort=-editor.id',
    'sort=editor.name&page[size]=1',
    'sort=-editor.name&page[size]=1&withCount=true',
    'include=editor',
    'include=helpers',
    'include=editor.works,helpers.works',
    'include=writer.works.editor',
    'fields[works]=editor,helpers',
    'fields[writers]=name&include=editor,helpers',
  ].map((query) => `/api/works?${query}`)
}
