import { aloneAndTogether, attack, together, withAborts } from '../attack.mjs'

const jsonApi = { accept: 'application/vnd.api+json' }

/** @param {string} path */
const get = (path) => ({ path: encodeURI(path) })

export const lists = [
  ...withAborts('whole-list', get('/api/books')),
  ...withAborts('sort-unindexed', get('/api/books?sort=-pages,stock&page[size]=100')),
  ...withAborts(
    'sort-through-relation',
    get('/api/books?sort=author.name,-publisher.name&page[size]=100'),
  ),
  ...withAborts('sort-all-unindexed', get('/api/books?sort=stock,title')),
  ...withAborts(
    'count-unindexed',
    get('/api/books?filter[stock][gt]=38&withCount=true&page[size]=1'),
  ),
  ...withAborts('filter-unindexed', get('/api/books?filter[stock]=1000')),
  ...aloneAndTogether(
    'far-offset',
    get('/api/books?page[offset]=900000&page[limit]=1000&sort=title'),
  ),
  // One client that reads ten thousand items again and again: the p99 of other clients has to stay
  // below 10 ms.
  attack('list-of-10000 again and again', async (attacker) => {
    const start = performance.now()
    while (!attacker.isOver() && performance.now() - start < 5_000)
      await attacker.ask(get('/api/books?filter[id][lt]=b-0010000'))
  }),
  attack('whole-list x100 never read', (attacker, { isQuick }) =>
    together(100, () => attacker.stall(get('/api/books'), isQuick ? 2_000 : 8_000)),
  ),
  ...aloneAndTogether('include-inverse-many', get('/api/authors/prolific?include=books')),
  ...aloneAndTogether('json-api include-inverse-many', {
    ...get('/json-api/authors/prolific?include=books'),
    headers: jsonApi,
  }),
  attack('include-inverse-many x100 aborted', (attacker) =>
    together(100, () => attacker.abandon(get('/api/authors/prolific?include=books'), 300)),
  ),
  attack('include-inverse-many x20 never read', (attacker, { isQuick }) =>
    together(20, () =>
      attacker.stall(get('/api/authors/prolific?include=books'), isQuick ? 2_000 : 8_000),
    ),
  ),
  ...aloneAndTogether('json-api related-many', {
    ...get('/json-api/authors/prolific/books'),
    headers: jsonApi,
  }),
  ...aloneAndTogether('json-api relationship-many', {
    ...get('/json-api/authors/prolific/relationships/books'),
    headers: jsonApi,
  }),
  ...aloneAndTogether(
    'include-deep',
    get('/api/books?page[size]=1000&include=author.books.genres,publisher,genres'),
  ),
]
