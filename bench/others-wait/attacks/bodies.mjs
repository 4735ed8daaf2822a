import { aloneAndTogether, atomicType, jsonApiType, sends } from '../attack.mjs'
import { bookId } from '../data.mjs'

const book = { title: 'New', price: 1, author: 'author-0' }

/** @param {number} count @param {(index: number) => unknown} value */
const array = (count, value) => Array.from({ length: count }, (_, index) => value(index))

/** @param {number} count */
const members = (count) =>
  Object.fromEntries(
    array(count, (index) => [`unknown${index}`, 1]).map(
      (entry) => /** @type {[string, number]} */ (entry),
    ),
  )

const edition = { format: 'paperback', year: 1900 }

export const bodies = [
  ...aloneAndTogether(
    'unknown-members 179 KB',
    sends('POST', '/api/books', { book: { ...book, ...members(11_000) } }),
  ),
  ...aloneAndTogether(
    'unknown-members 79 KB',
    sends('POST', '/api/books', { book: { ...book, ...members(4_900) } }),
  ),
  ...aloneAndTogether(
    'unknown-members of editions',
    sends('POST', '/api/books', {
      book: { ...book, editions: array(50, () => ({ ...edition, ...members(250) })) },
    }),
  ),
  ...aloneAndTogether(
    'many-faults',
    sends('POST', '/api/books', { book: { ...book, tags: array(60_000, () => 7) } }),
  ),
  ...aloneAndTogether(
    'many-faults of editions',
    sends('POST', '/api/books', {
      book: { ...book, editions: array(20_000, () => ({ year: 'x' })) },
    }),
  ),
  ...aloneAndTogether(
    'deep-json',
    sends('POST', '/api/books', `{"book":${'['.repeat(400_000)}${']'.repeat(400_000)}}`),
  ),
  ...aloneAndTogether(
    'deep-json of objects',
    sends('POST', '/api/books', `${'{"book":'.repeat(100_000)}1${'}'.repeat(100_000)}`),
  ),
  ...aloneAndTogether(
    'json of a million zeros',
    sends('POST', '/api/books', `{"book":[${'0,'.repeat(500_000)}0]}`),
  ),
  ...aloneAndTogether(
    'long-number',
    sends('POST', '/api/books', `{"book":{"price":${'1'.repeat(1_000_000)}}}`),
  ),
  ...aloneAndTogether('genres x60000', (_, index) =>
    sends('PATCH', `/api/books/${bookId(500 + index)}`, {
      book: { genres: array(60_000, (index) => `g${index}`) },
    }),
  ),
  ...aloneAndTogether('genres x60000 of the same', (_, index) =>
    sends('PATCH', `/api/books/${bookId(500 + index)}`, {
      book: { genres: array(60_000, () => 'genre-1') },
    }),
  ),
  ...aloneAndTogether('relationship x20000', (_, index) =>
    sends(
      'POST',
      `/json-api/books/${bookId(700 + index)}/relationships/genres`,
      { data: array(20_000, (index) => ({ type: 'genres', id: `g${index}` })) },
      jsonApiType,
    ),
  ),
  ...aloneAndTogether('inverse-relationship x10000', (_, index) =>
    sends(
      'POST',
      `/json-api/authors/author-${index}/relationships/books`,
      { data: array(10_000, (index) => ({ type: 'books', id: bookId(index) })) },
      jsonApiType,
    ),
  ),
  ...aloneAndTogether('batch of 100 books', (_, index) =>
    sends(
      'POST',
      '/json-api/operations',
      {
        'atomic:operations': array(100, (at) => ({
          op: 'add',
          data: {
            type: 'books',
            lid: `n-${index}-${at}`,
            attributes: {
              title: 't'.repeat(300),
              price: 1,
              tags: array(20, (tag) => `${tag}`.padEnd(50, 'x')),
            },
            relationships: {
              author: { data: { type: 'authors', id: 'author-0' } },
              genres: { data: array(20, (genre) => ({ type: 'genres', id: `genre-${genre}` })) },
            },
          },
        })),
      },
      atomicType,
    ),
  ),
  ...aloneAndTogether(
    'batch of too many',
    sends(
      'POST',
      '/json-api/operations',
      {
        'atomic:operations': array(9_000, (index) => ({
          op: 'remove',
          ref: { type: 'genres', id: `none-${index}` },
        })),
      },
      atomicType,
    ),
  ),
  ...aloneAndTogether('not-utf-8', {
    ...sends('POST', '/api/books', ''),
    body: Buffer.alloc(1_000_000, 0xff),
  }),
]
