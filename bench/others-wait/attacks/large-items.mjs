import { aloneAndTogether, attack, together } from '../attack.mjs'

/** @param {string} path */
const get = (path) => ({ path: encodeURI(path) })

const reviews = get('/api/reviews?filter[id][startsWith]=z-large')
const books = get('/api/books?filter[id][startsWith]=z-large')
const pageOfReviews = get('/api/reviews?filter[id][startsWith]=z-large&page[size]=1000')
const pageOfBooks = get('/api/books?filter[id][startsWith]=z-large&page[size]=1000')
// No index has these orders.
const sortedReviews = get(
  '/api/reviews?filter[id][startsWith]=z-large&sort=-reviewer&page[size]=1000',
)
const sortedBooks = get('/api/books?filter[id][startsWith]=z-large&sort=-stock&page[size]=1000')

export const largeItems = [
  ...aloneAndTogether('large-item', get('/api/books/z-large-1')),
  ...aloneAndTogether('large-reviews', reviews),
  ...aloneAndTogether('large-books', books),
  ...aloneAndTogether('large-reviews page', pageOfReviews),
  ...aloneAndTogether('large-books page', pageOfBooks),
  ...aloneAndTogether('json-api large-books page', {
    path: pageOfBooks.path.replace('/api/', '/json-api/'),
    headers: { accept: 'application/vnd.api+json' },
  }),
  ...aloneAndTogether(
    'large-books include',
    get('/api/books?filter[id][startsWith]=z-large&include=genres'),
  ),
  ...aloneAndTogether('large-reviews page sorted', sortedReviews),
  ...aloneAndTogether('large-books page sorted', sortedBooks),
  attack('large-reviews page sorted x100 never read', (attacker, { isQuick }) =>
    together(100, () => attacker.stall(sortedReviews, isQuick ? 2_000 : 8_000)),
  ),
  attack('large-books page sorted x100 never read', (attacker, { isQuick }) =>
    together(100, () => attacker.stall(sortedBooks, isQuick ? 2_000 : 8_000)),
  ),
  attack('large-reviews x100 never read', (attacker, { isQuick }) =>
    together(100, () => attacker.stall(reviews, isQuick ? 2_000 : 8_000)),
  ),
  attack('large-books x100 never read', (attacker, { isQuick }) =>
    together(100, () => attacker.stall(books, isQuick ? 2_000 : 8_000)),
  ),
  attack('large-books page x100 never read', (attacker, { isQuick }) =>
    together(100, () => attacker.stall(pageOfBooks, isQuick ? 2_000 : 8_000)),
  ),
  attack('large-item x100 never read', (attacker, { isQuick }) =>
    together(100, () => attacker.stall(get('/api/books/z-large-2'), isQuick ? 2_000 : 8_000)),
  ),
]
