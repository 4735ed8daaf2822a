import { aloneAndTogether, attack, together, withAborts } from '../attack.mjs'

/** @param {string} query */
const get = (query, model = 'books') => ({ path: `/api/${model}?${encodeURI(query)}` })

/** @param {number} count @param {(index: number) => string} node */
const nodes = (count, node) => Array.from({ length: count }, (_, index) => node(index)).join(',')

/** @param {string} model @param {string} field @param {string} pattern */
const like = (model, field, pattern, others = '') => ({
  path: `/api/${model}?${encodeURI(others)}filter%5B${field}%5D%5Blike%5D=${encodeURIComponent(pattern)}`,
})

const wildcards = '%a'.repeat(16)
const longPattern = `%${'a%'.repeat(14)}${'_'.repeat(12_000)}b%`

export const filters = [
  ...withAborts('like-13-KB', like('reviews', 'text', longPattern)),
  ...aloneAndTogether('like-many-wildcards', like('reviews', 'text', `${wildcards}b`)),
  ...aloneAndTogether('like-many-wildcards of titles', like('books', 'title', `${wildcards}b`)),
  ...aloneAndTogether(
    'like-on-large-items',
    like('reviews', 'text', `${'%\u0001'.repeat(16)}b`, 'filter[id][startsWith]=z-large&'),
  ),
  ...withAborts(
    'contains x90 through a relation',
    get(`filter=or(${nodes(90, (index) => `contains(author.name,'zz${index}')`)})`),
  ),
  ...aloneAndTogether(
    'contains x90 through two relations',
    get(`filter=or(${nodes(90, (index) => `contains(book.author.name,'zz${index}')`)})`, 'reviews'),
  ),
  ...aloneAndTogether(
    'contains x30 through an inverse relation',
    get(`filter=or(${nodes(30, (index) => `contains(books.title,'zz${index}')`)})`, 'authors'),
  ),
  ...aloneAndTogether(
    'contains x99',
    get(`filter=or(${nodes(98, (index) => `contains(title,'zz${index}')`)})`),
  ),
  ...aloneAndTogether(
    'in x500',
    get(`filter[id][in]=${nodes(500, (index) => `b-${index}`)}&sort=stock`),
  ),
  ...aloneAndTogether(
    'nin x500',
    get(`filter[title][nin]=${nodes(500, (index) => `t${index}`)}&sort=stock&page[size]=1`),
  ),
  ...aloneAndTogether(
    'genres-all',
    get(`filter[genres][all]=${nodes(100, (index) => `genre-${index % 20}`)}`),
  ),
  ...aloneAndTogether('long-cursor', {
    path: `/api/books?sort=title&page%5Bafter%5D=${'QUJD'.repeat(3_000)}`,
  }),
  attack('filters of 100 kinds', (attacker) =>
    together(100, (index) =>
      attacker.ask(
        get(
          `filter=or(${nodes(1 + (index % 60), (node) => `contains(title,'q${index}-${node}')`)})&sort=-pages`,
        ),
      ),
    ),
  ),
]
